"""Generated mutants that no test kills, read one by one: (file, change) → (class, reason)."""

SURVIVORS: dict[tuple[str, str], tuple[str, str]] = {
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
        "hermite/enclosures.py",
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
}
