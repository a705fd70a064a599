"""Mutants of the spikes of lengthened neurons: (formula, file, ((old, new, kind), …))."""

_FILE = "theory/lengthened.py"

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
        _FILE,
        (
            ("(1 + tau) ** (2 * j) / 4**j", "(1 + tau) ** j / 4**j", "wrong power"),
            ("comb(2 * j, j) * (1", "comb(2 * j, 1) * (1", "swapped index"),
            ("for j in range(M + 1))", "for j in range(M))", "bound off by one"),
        ),
    ),
    (
        "lengthened_T",
        _FILE,
        (
            ("(-1) ** j * double_factorial(2 * j - 1) * (1", "double_factorial(2 * j - 1) * (1", "wrong sign"),
            ("* (1 + tau) ** j * c", "* c", "dropped factor"),
            ("even = c_star[1::2]", "even = c_star[::2]", "swapped index"),
        ),
    ),
    (
        "lengthened_B",
        _FILE,
        (
            ("return explained - lengthened_floor", "return explained + lengthened_floor", "wrong sign"),
            ("t, tau) ** 2 / lengthened_norm", "t, tau) / lengthened_norm", "wrong power"),
            ("lengthened_norm(len(c_star) // 2, tau)", "lengthened_norm(len(c_star), tau)", "swapped index"),
        ),
    ),
)
