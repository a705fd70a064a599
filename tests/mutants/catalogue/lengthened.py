"""Mutants of the spikes of lengthened neurons: (formula, file, ((old, new, kind), …))."""

_FILE, _GAINS = "theory/lengthened.py", "theory/gains.py"

LENGTHENED = (
    (
        "lengthening",
        _FILE,
        (
            ("spread / (c1**2 * kappa)", "spread / (c1 * kappa)", "wrong power"),
            ("spread / (c1**2 * kappa)", "spread / c1**2", "dropped factor"),
        ),
    ),
    (
        "lengthened_S",
        _GAINS,
        (
            ("* (2 * j - 1) / (2 * j))", "* (2 * j - 1) / j)", "dropped factor"),
            ("* (2 * j - 1) / (2 * j))", "* (2 * j + 1) / (2 * j))", "bound off by one"),
            ("    for j in range(1, M + 1):", "    for j in range(1, M):", "bound off by one"),
            ("odd=False, evens=M)", "odd=False, evens=M + 1)", "bound off by one"),
        ),
    ),
    ("lengthened_S", _FILE, (("- tau * t, (1 + tau) ** 2", "- tau * t, 1 + tau", "wrong power"),)),
    (
        "lengthened_T",
        _FILE,
        (
            ("return (1 + tau) * t,", "return t,", "dropped factor"),
            ("one_minus_t - tau * t,", "one_minus_t + tau * t,", "wrong sign"),
        ),
    ),
    (
        "lengthened_B",
        _GAINS,
        (
            ("(step * S - a_squared * T) ** 2", "(step * S + a_squared * T) ** 2", "wrong sign"),
            ("/ (a_squared * S * (S + a_squared))", "/ (a_squared * S**2)", "missing term"),
            ("S, T = S + a_squared, T + step", "S, T = S + a_squared, step", "missing term"),
            ("first + zeta, 0 * x, 0 * x", "first, 0 * x, 0 * x", "missing term"),
            ("[energy if k % 2 else 0 for", "[0 if k % 2 else energy for", "swapped index"),
        ),
    ),
    (
        "lengthened_B",
        "theory/limits.py",
        (("return plan.spikes.has_gaps or ", "return ", "missing term"),),
    ),
    (
        "gaps",
        "theory/extension.py",
        (
            ("(1 + tau) ** ((k - j) // 2)", "(1 + tau) ** (k - j)", "wrong power"),
            ("for j, value in v.items() if j or 0 in missing}", "for j, value in v.items()}", "extra term"),
        ),
    ),
)
