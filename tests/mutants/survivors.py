"""Mutants that no test kills, read one by one: (function, kind) → how many are drawn, their class, and the reason."""

SURVIVORS: dict[tuple[str, str], tuple[int, str, str]] = {
    ("H", "whole number + 1"): (1, "equivalent", "the coefficient of x^(k+1) in H_k is 0"),
    ("xi", "- to +"): (1, "equivalent", "p + i is odd where p − i is"),
    ("overlaps_at", "dropped term"): (
        1,
        "equivalent",
        "rounding alone keeps off the pole",
    ),
    ("slope_variance", "- to +"): (1, "only speed", "the rule is refined to its finest, which changes nothing"),
    ("slope_variance", "dropped term"): (1, "only speed", "the rule is refined to its finest, which changes nothing"),
    ("bulk_transform", "- to +"): (1, "only speed", "Newton's step leads out, and the map alone to the same root"),
    ("factors", "* to /"): (1, "equivalent", "other weights give another basis γ of the same functions"),
    ("mid_of", "dropped term"): (1, "equivalent", "the unit of the lower half cancels"),
    ("dressed_outliers", "* to /"): (1, "equivalent", "a tolerance of the search, below what is compared"),
    ("_rough", "/ to *"): (1, "only speed", "the root is found with balls where floats would do"),
    ("_edge", "whole number + 1"): (1, "only speed", "into how many parts an interval is cut"),
    ("tail_integral", "* to /"): (1, "only speed", "a larger bound, which is still one"),
    ("_z_level", "swapped arguments"): (1, "equivalent", "the distance of two answers is symmetric"),
    ("_until_accurate", "dropped term"): (1, "only speed", "spare bits save another attempt"),
    ("_focus", "dropped factor"): (
        1,
        "only speed",
        "where nodes are dense; the error is measured and the rule refined",
    ),
    ("Case", "whole number + 1"): (1, "equivalent", "the number of a case is a name"),
    ("_bits_at", "+ to -"): (1, "only speed", "with too few bits a ball is wider, and is asked for again"),
    ("_drops", "dropped term"): (1, "equivalent", "an end of the search moves by 1e-12 of itself"),
    ("best_strip", "whole number + 1"): (1, "only speed", "which strips are tried"),
    ("_roots", "* to /"): (1, "equivalent", "the curve is scaled to c_{>1}² + c_1² = 1"),
    ("_blocks", "whole number + 1"): (1, "equivalent", "an entry that is no series is 0"),
    ("product", "* to /"): (1, "only speed", "how long a product may be before the quadrature is taken"),
}
