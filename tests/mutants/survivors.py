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
        "theory/spectrum.py",
        "return residual, residual / ((1 - own_slope) * U + (curve.ratio - own_slope) * P + z)  →  "
        "return residual, residual / ((1 + own_slope) * U + (curve.ratio - own_slope) * P + z)",
    ): ("only speed", "the slope of an iteration that goes on until the residual vanishes"),
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
}
