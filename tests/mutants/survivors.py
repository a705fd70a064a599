"""Generated mutants that no test kills, read one by one: (file, change) → (class, reason)."""

SURVIVORS: dict[tuple[str, str], tuple[str, str]] = {
    (
        "theory/dressed/accuracy.py",
        "if finer > error / 3:  # what is left is rounding, which more nodes do not help  →  "
        "if finer > error * 3:  # what is left is rounding, which more nodes do not help",
    ): ("only speed", "rules are refined once more where that no longer helps; the error reported is still measured"),
    (
        "theory/extension.py",
        "return even != list(range(2, 2 * len(even) + 1, 2)) or odd != list(range(1, 2 * len(odd), 2))  →  "
        "return even != list(range(2, (2 * len(even) + 1) + 1, 2)) or odd != list(range(1, 2 * len(odd), 2))",
    ): ("equivalent", "steps of two from 2 end at the same number"),
    (
        "theory/extension.py",
        "indices = range(3 if odd else 0, present[-1] + 1, 2)  →  indices = range(3 if odd else 0, present[-1] + 2, 2)",
    ): ("equivalent", "steps of two end at the same number"),
    (
        "theory/ridgeless.py",
        "return _infinite(ns, theta=0 * phi, stiffness=0 * phi), weights  →  "
        "return _infinite(ns, theta=0 / phi, stiffness=0 * phi), weights",
    ): ("equivalent", "zero either way, since φ > 0"),
    (
        "theory/pencil_engines.py",
        "return [HermiteCoefficient(problem.activation.tree, k) for k in range(top + 1)]  →  "
        "return [HermiteCoefficient(problem.activation.tree, k) for k in range((top + 1) + 1)]",
    ): ("equivalent", "one coefficient more is made and not used"),
    (
        "theory/dressed/accuracy.py",
        "for level in range(_FINEST.z_level):  →  for level in range((_FINEST.z_level) + 1):",
    ): ("only speed", "one finer rule may be tried"),
    (
        "theory/dressed/residual.py",
        "moved = np.where(moved.imag > 0, moved, 1 / (k - z))  →  moved = np.where(moved.imag > 0, moved, 2 / (k - z))",
    ): ("only speed", "where an iteration begins"),
    (
        "theory/dressed/fixed_point.py",
        "mixed = averaged(moments[:3], (alpha_T @ gamma) ** 2)  →  "
        "mixed = averaged(moments[:4], (alpha_T @ gamma) ** 2)",
    ): ("equivalent", "one moment more is made and not used"),
    (
        "theory/dressed/responses.py",
        "return (len(function.kinks) + 1) * (_PANEL_NODES << level)  →  "
        "return (len(function.kinks) + 2) * (_PANEL_NODES << level)",
    ): ("only speed", "how much is computed at once"),
    (
        "theory/dressed/rules.py",
        "nodes = np.arange(-half, half + 1) * (end / half)  →  nodes = np.arange(-half, half + 2) * (end / half)",
    ): ("equivalent", "one node more where the Gaussian weight is below 1e-12"),
    (
        "theory/traces.py",
        "return ns.minimum(where_bulk_is(room), ns.maximum(where_bulk_is(2 * shortage), from_load))  →  "
        "return ns.minimum(where_bulk_is(room), ns.maximum(where_bulk_is(3 * shortage), from_load))",
    ): ("only speed", "where an iteration begins that goes on until it has settled"),
    (
        "theory/dressed/fixed_point.py",
        "result: Array = np.linalg.inv(at_nodes((np.eye(K0.shape[-1]) + K0, K1, K2), s))  →  "
        "result: Array = np.linalg.inv(at_nodes((np.eye(K0.shape[-2]) + K0, K1, K2), s))",
    ): ("equivalent", "the matrix is square"),
    (
        "theory/solver.py",
        "y, right = _approximate(equation, bits // 2 - 8)  →  y, right = _approximate(equation, bits // 2 + 8)",
    ): ("only speed", "how far an approximation goes before its proof"),
    (
        "theory/traces.py",
        "cubic = ns.sqrt(2 * load / (ns.rough_cbrt(load) + gap))  # above the root of y·w = load, by about √2  →  "
        "cubic = ns.sqrt(load / (ns.rough_cbrt(load) + gap))  # above the root of y·w = load, by about √2",
    ): ("only speed", "where an iteration begins that goes on until it has settled"),
    (
        "theory/dressed/residual.py",
        "slope = k - z - law.ratio * m * law.mean(part**2)  →  slope = k - z - m * law.mean(part**2)",
    ): ("only speed", "the slope of an iteration that goes on until the residual vanishes"),
    (
        "theory/ridgeless.py",
        "test_constant=0 * phi,  # nothing next to the infinite weights  →  "
        "test_constant=0,  # nothing next to the infinite weights",
    ): ("equivalent", "zero either way"),
    (
        "hermite/legendre.py",
        "for _ in range(_MOST_CELLS + 2 * bits):  →  for _ in range(_MOST_CELLS + 3 * bits):",
    ): ("only speed", "how many cells are tried before a search is given up"),
    (
        "hermite/quadrature.py",
        "for precision in (bits, 4 * bits, 16 * bits, 64 * bits):  →  "
        "for precision in (bits, 4 * bits, 16 * bits, bits):",
    ): ("only speed", "how often a proof is tried before it is given up; no formula that needs the last try is known"),
    (
        "hermite/ranges.py",
        "above = high.upper() if high.is_finite() else (-_INFINITY if high < 0 else _INFINITY)  →  "
        "above = high.upper() if high.is_finite() else (-_INFINITY if high < 1 else _INFINITY)",
    ): ("equivalent", "an end that is infinite is below 1 where it is below 0"),
    (
        "hermite/strip.py",
        "for _ in range(_BOXES):  →  for _ in range((_BOXES) + 1):",
    ): ("only speed", "how many boxes are tried before a proof is given up"),
    (
        "hermite/strip.py",
        "or (part > 1 and count < _FINE_BOXES and _varies(function, size, middle, width))  →  "
        "or (part > 2 and count < _FINE_BOXES and _varies(function, size, middle, width))",
    ): ("only speed", "how fine the boxes of a bound are; every choice of them is a bound"),
    (
        "hermite/tails.py",
        "return tail_growth(inner.argument, side, start).plus(_constant(arb(2).log()))  →  "
        "return tail_growth(inner.argument, side, start).plus(_constant(arb(3).log()))",
    ): ("only speed", "a larger bound, which is still one, and costs a few more nodes"),
    (
        "hermite/trapezoid.py",
        "exponent = 11 - math.frexp(step)[1]  →  exponent = 12 - math.frexp(step)[1]",
    ): ("only speed", "to how many bits a step is rounded; every step has its bound"),
    (
        "hermite/trapezoid.py",
        "return math.sqrt(length**2 + 2 * float(excess)) if excess.is_finite() else math.inf  →  "
        "return math.sqrt(length**2 + 3 * float(excess)) if excess.is_finite() else math.inf",
    ): ("only speed", "where the nodes end; every end has its bound"),
    (
        "hermite/trapezoid.py",
        "return max(_BOUND_BITS, min(bits, bits - lost_bits(K) + int((size + 2 * growth) / _LOG_2) + 20))  →  "
        "return max(_BOUND_BITS, min(bits, bits - lost_bits(K) + int((size + 2 * growth) / _LOG_2) - 20))",
    ): ("only speed", "how many bits a term is given; with too few the ball is wider, and is asked for again"),
    (
        "hermite/trapezoid.py",
        "return max(_BOUND_BITS, min(bits, bits - lost_bits(K) + int((size + 2 * growth) / _LOG_2) + 20))  →  "
        "return max(_BOUND_BITS, min(bits, bits - lost_bits(K) + int((size - 2 * growth) / _LOG_2) + 20))",
    ): ("only speed", "how many bits a term is given; with too few the ball is wider, and is asked for again"),
    (
        "theory/dressed/accuracy.py",
        "resolution = replace(Resolution(), z_level=_z_level(step, trial[-1:]))  →  "
        "resolution = replace(Resolution(), z_level=_z_level(step, trial[-2:]))",
    ): ("only speed", "with which rule the trial begins; its error is measured and the rule refined"),
    (
        "theory/dressed/fixed_point.py",
        "if matrix is None or done or np.any(residual > np.maximum(_FAST * before, TOLERANCE)):  →  "
        "if matrix is None or done or np.any(residual > np.maximum(_FAST, TOLERANCE)):",
    ): ("only speed", "how long a matrix of Newton's method is kept, of a hundred steps at most"),
    (
        "theory/dressed/fixed_point.py",
        "size = M0.shape[-1]  →  size = M0.shape[-2]",
    ): ("equivalent", "the matrix is square"),
    (
        "theory/engines.py",
        "extra = max(2 * extra, extra + target - proven)  →  extra = max(2 / extra, extra + target - proven)",
    ): ("only speed", "how many bits the next attempt has more"),
    (
        "theory/traces.py",
        "load = ns.where(excess < 0, 2, 1) * room * phi / b  →  load = phi / b",
    ): ("only speed", "where an iteration begins that goes on until it has settled"),
    (
        "hermite/legendre.py",
        "with ball_precision(_BOUND_BITS + 2 * bits):  →  with ball_precision(_BOUND_BITS + 2 / bits):",
    ): (
        "only speed",
        "with how many bits constants are made; with fewer the bounds are wider, and cells are cut again",
    ),
    (
        "hermite/quadrature.py",
        "return bool(tail.constant.is_finite() and tail.quadratic < arb(1) / 4)  →  "
        "return bool(tail.constant.is_finite() and tail.quadratic < arb(2) / 4)",
    ): ("equivalent", "a function that grows so fast is refused before"),
    (
        "theory/pencil_engines.py",
        'plan = Plan(problem, (1,), "closed", None)  →  plan = Plan(problem, (2,), "closed", None)',
    ): ("equivalent", "the pencil reads constants that do not depend on the spikes of the plan"),
}
