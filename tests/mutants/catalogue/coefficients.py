"""Mutants of Hermite coefficients and second moments: (formula, file, ((old, new, kind), …))."""

_CLOSED, _TERMS, _POWERS = "hermite/closed.py", "hermite/closed_terms.py", "hermite/power_sums.py"
_QUADRATURE, _TRAPEZOID, _LEGENDRE = "hermite/quadrature.py", "hermite/trapezoid.py", "hermite/legendre.py"
_COEFFICIENTS = "hermite/coefficients.py"

COEFFICIENTS = (
    (
        "hermite_coefficients",
        _CLOSED,
        (
            ("total / factorial(k)) for k", "total) for k", "dropped factor"),
            ("alpha * now + 2 * k * beta * last", "alpha * now + k * beta * last", "dropped factor"),
            ("((1, ends[0]), (-1, ends[1]))", "((-1, ends[0]), (1, ends[1]))", "wrong sign"),
            (
                "result[k + 1] + (k * result[k - 1] if k else 0)",
                "result[k + 1] - (k * result[k - 1] if k else 0)",
                "wrong sign",
            ),
            (
                "total = ns.exp(alpha * alpha / (2 * scale)) / root",
                "total = ns.exp(alpha * alpha / (2 * scale))",
                "dropped factor",
            ),
            ("derivative = 2 * slope *", "derivative = slope *", "dropped factor"),
        ),
    ),
    (
        "hermite_coefficients",
        _TERMS,
        (
            ("half = tuple(c / 2 for c", "half = tuple(c for c", "dropped factor"),
            ('sign = 1 if name == "cosh" else -1', 'sign = -1 if name == "cosh" else 1', "wrong sign"),
            ("ns.tidy(a.beta + b.beta)", "ns.tidy(a.beta - b.beta)", "wrong sign"),
        ),
    ),
    (
        "hermite_coefficients",
        _QUADRATURE,
        (
            ("(xi(j, k) * v for j, v", "(v for j, v", "dropped factor"),
            (
                "coefficients, second = [2 * c for c in coefficients], 2 * second",
                "coefficients, second = [c for c in coefficients], 2 * second",
                "dropped factor",
            ),
            (
                'skipped = 0 if parts.parity == "odd" else 1',
                'skipped = 1 if parts.parity == "odd" else 0',
                "swapped index",
            ),
        ),
    ),
    (
        "hermite_coefficients",
        _TRAPEZOID,
        (
            ("[step * total / arb(k).fac() for", "[step * total for", "dropped factor"),
            ("difference = value - other if", "difference = value + other if", "wrong sign"),
            ("        powers[0] += value\n", "", "missing term"),
        ),
    ),
    ("hermite_coefficients", _LEGENDRE, (("x = middle + half * node", "x = middle + node", "dropped factor"),)),
    ("hermite_coefficients", _POWERS, (("now[i + 1] - k * before[i]", "now[i + 1] - before[i]", "dropped factor"),)),
    (
        "hermite_coefficients",
        _COEFFICIENTS,
        (
            (
                "values[first::2] = polynomial_coefficients(parts.polynomial, K)[first::2]",
                "values[first::2] = [arb(0)] * len(values[first::2])",
                "missing term",
            ),
            ("zero if k % 2 == skipped and k >= len(parts.polynomial)", "zero if k % 2 == skipped", "missing term"),
        ),
    ),
    (
        "second_moment",
        _CLOSED,
        (("for part in product(ns, parts, parts):", "for part in parts:", "wrong power"),),
    ),
    ("second_moment", _QUADRATURE, (("(arb(k).fac() * c * c for k, c", "(c * c for k, c", "dropped factor"),)),
    (
        "second_moment",
        _TRAPEZOID,
        (("square += weight * (value * value + other * other)", "square += weight * (value * value)", "missing term"),),
    ),
    ("second_moment", _LEGENDRE, (("square += weighted * value", "square += weighted", "wrong power"),)),
    (
        "variance_rest",
        _COEFFICIENTS,
        (
            ("found.second - mean * mean - slope * slope", "found.second - mean * mean", "missing term"),
            ("found.second - mean * mean - slope * slope", "found.second - slope * slope", "missing term"),
            ("return arb(0) if is_affine(tree) else", "return", "missing term"),
            ("for c in part.polynomial[2:])", "for c in part.polynomial[3:])", "bound off by one"),
        ),
    ),
)
