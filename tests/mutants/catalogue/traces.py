"""Mutants of Hermite polynomials, traces, direction, windows and ridge: (formula, file, ((old, new, kind), …))."""

_HERMITE, _TRACES, _RIDGELESS = "functions/polynomials.py", "theory/traces.py", "theory/ridgeless.py"
_GAINS, _WINDOWS = "theory/gains.py", "theory/windows.py"

TRACES = (
    ("H", _HERMITE, (("(p - i) % 4 == 2", "(p - i) % 4 == 0", "wrong sign"),)),
    ("H", "symbolic/basis.py", (("x**i", "x**(i + 1)", "wrong power"),)),
    (
        "xi",
        _HERMITE,
        (
            ("(factorial(j) * factorial(i))", "factorial(i)", "dropped factor"),
            ("factorial(i))) >> j", "factorial(i))) >> i", "swapped index"),
            ("    j = (p - i) // 2", "    j = (p - i) // 2 + 1", "bound off by one"),
        ),
    ),
    (
        "xi_inverse",
        _HERMITE,
        (
            ("return -xi(p, i) if", "return xi(p, i) if", "wrong sign"),
            ("else xi(p, i)", "else xi(i, p)", "swapped index"),
        ),
    ),
    (
        "gaussian_moment",
        _HERMITE,
        (
            ("half = (k + 1) // 2", "half = (k + 3) // 2", "wrong constant"),
            ("// factorial(half)) >> half", "// factorial(half))", "dropped factor"),
        ),
    ),
    (
        "S",
        _HERMITE,
        (
            ("Fraction((2 * M + 1) * comb", "Fraction(comb", "dropped factor"),
            ("(2 * M + 1) * comb", "(2 * M - 1) * comb", "wrong sign"),
            (", 4**M)", ", 2**M)", "wrong constant"),
        ),
    ),
    (
        "trace_equations",
        _TRACES,
        (
            (
                "phi * (m1 - m2) * (c_rest**2 * m1 + c1**2 * m2)",
                "phi * (m1 - m2) * (c_rest**2 * m2 + c1**2 * m1)",
                "swapped index",
            ),
            ("c1**2 * m1 * m2 + phi * (m2 - m1)", "c1**2 * m1 * m2 + phi * (m1 - m2)", "wrong sign"),
            ("(phi / psi) * (c1**2", "(c1**2", "dropped factor"),
            ("(lam * psi * m1 / phi - 1)", "(lam * psi * m2 / phi - 1)", "swapped index"),
        ),
    ),
    (
        "reduced_equation",
        _TRACES,
        (
            ("value = (bulk - room) * phi + bulk_excess", "value = (bulk - room) + bulk_excess", "dropped factor"),
            ("bulk_excess = bulk + excess", "bulk_excess = bulk - excess", "wrong sign"),
            ("psi - phi) / psi", "psi - phi) / phi", "swapped index"),
            ("phi * (psi - 1) / psi", "(psi - 1) / psi", "dropped factor"),
            ("b=c1 * c1 / lam", "b=c1 / lam", "dropped factor"),
        ),
    ),
    (
        "quartic",
        "symbolic/trace_equations.py",
        (
            ("value * m_1**j", "value * m_1 ** (j + 1)", "wrong power"),
            ("reversed(range(len(coefficients)))", "range(len(coefficients))", "swapped index"),
        ),
    ),
    (
        "m2_of_m1",
        _TRACES,
        (
            ("return phi / (phi + b * w)", "return 1 / (phi + b * w)", "dropped factor"),
            ("(phi + b * w)", "(phi - b * w)", "wrong sign"),
            ("k = kept(phi, equation.b, y * other)", "k = kept(phi, equation.b, y * y)", "swapped index"),
        ),
    ),
    (
        "slopes",
        _TRACES,
        (
            ("-m2 * ((k + chi_p) / stiffness)", "-m2 * ((1 + chi_p) / stiffness)", "wrong constant"),
            ("-m1 * ((1 + chi_p) / stiffness)", "-m1 * (chi_p / stiffness)", "missing term"),
            ("chi = a + b * (k * k)", "chi = a + b * k", "wrong power"),
            ("lam * (1 + chi_p + chi * u)", "lam * (1 + chi * u)", "missing term"),
        ),
    ),
    (
        "theta",
        _TRACES,
        (
            ("u * psi / phi, chi_p, stiffness)", "u * phi / psi, chi_p, stiffness)", "swapped index"),
            ("u * psi / phi, chi_p, stiffness)", "u, chi_p, stiffness)", "dropped factor"),
        ),
    ),
    (
        "theta_slope",
        "theory/pencil/equations.py",
        (
            ("return (psi / phi) ** 2 *", "return (psi / phi) *", "wrong power"),
            ("chi_u * lam / traces.stiffness", "chi_u / traces.stiffness", "dropped factor"),
            ("(traces.theta * phi / psi)", "(traces.theta * psi / phi)", "swapped index"),
        ),
    ),
    (
        "direction",
        _GAINS,
        (("return c_star_1**2 + scatter", "return c_star_1 + scatter", "wrong power"),),
    ),
    (
        "direction",
        "theory/limits.py",
        (
            ("constants.c_star[0] / ns.sqrt(length)", "constants.c_star[0] / length", "wrong power"),
            (
                "length, rho, constants.parts.linear / length, off / length",
                "length, rho, off / length, constants.parts.linear / length",
                "swapped index",
            ),
            ("kappa(constants.c_star[0], off), off,", "kappa(constants.c_star[0], off), sampled,", "swapped index"),
        ),
    ),
    (
        "scatter",
        _GAINS,
        (
            (
                "return phi * (c_star_squared + noise_variance)",
                "return c_star_squared + noise_variance",
                "dropped factor",
            ),
            ("(c_star_squared + noise_variance)", "(c_star_squared - noise_variance)", "wrong sign"),
        ),
    ),
    (
        "scatter",
        "theory/limits.py",
        (("point.phi / constants.step_ratio)", "point.phi)", "dropped factor"),),
    ),
    (
        "energy",
        _GAINS,
        (
            ("return factorial(k) * c_star_k**2", "return c_star_k**2", "dropped factor"),
            ("return factorial(k) *", "return factorial(k - 1) *", "bound off by one"),
        ),
    ),
    (
        "feature_expansion",
        _WINDOWS,
        (
            ("return c1**k * c_k * eta**k", "return c1 * c_k * eta**k", "wrong power"),
            ("return c1**k * c_k * eta**k", "return c1**k * eta**k", "dropped factor"),
        ),
    ),
    (
        "feature_expansion",
        "symbolic/features.py",
        (
            ("_power(X * beta, k) *", "_power(X * beta, 1) *", "wrong power"),
            ("_power(a_vector, k).T", "_power(a_vector, 1).T", "wrong power"),
        ),
    ),
    (
        "window",
        _WINDOWS,
        (
            ("ell / (2 * ell + 2)", "ell / (2 * ell + 1)", "wrong constant"),
            ("return (ell - 1) / (2 * ell),", "return (ell - 1) / (ell),", "dropped factor"),
            ("(1 - 2 * exact)) + 1", "(1 - 2 * exact))", "bound off by one"),
        ),
    ),
    (
        "spike_order",
        _WINDOWS,
        (
            ("return (2 * alpha - 1) * k / 2 + 1", "return (2 * alpha - 1) * k + 1", "dropped factor"),
            ("return (2 * alpha - 1) * k / 2 + 1", "return (2 * alpha - 1) * k / 2", "missing term"),
        ),
    ),
    (
        "ridge_convention",
        "model/conventions.py",
        (
            (
                '("n",), lambda lam, n: lam / n),\n    "half_sum"',
                '("n",), lambda lam, n: lam * n),\n    "half_sum"',
                "wrong sign",
            ),
            ("lam * n * phi / psi", "lam * n * psi / phi", "swapped index"),
            ("lambda lam, psi: lam / psi", "lambda lam, psi: lam * psi", "wrong sign"),
        ),
    ),
    (
        "ridgeless_balance",
        _RIDGELESS,
        (
            ("A * phi + B * excess", "A * phi - B * excess", "wrong sign"),
            ("b + root, 2 * a)", "b + root, a)", "dropped factor"),
            ("b * b + 4 * a * c", "b * b + 2 * a * c", "wrong constant"),
        ),
    ),
    (
        "ridgeless_wide",
        _RIDGELESS,
        (
            ("test_linear=k * (k + chi_p) / (chi * w)", "test_linear=(k + chi_p) / (chi * w)", "dropped factor"),
            ("test_rest=(1 + chi_p) / (chi * w)", "test_rest=chi_p / (chi * w)", "missing term"),
            ("u = (phi - psi) / psi", "u = (phi - psi) / phi", "swapped index"),
        ),
    ),
    (
        "ridgeless_narrow",
        _RIDGELESS,
        (
            ("train_linear=k * p,", "train_linear=p,", "dropped factor"),
            ("test_linear=k / p,", "test_linear=k * p,", "wrong power"),
        ),
    ),
    (
        "ridgeless_square",
        _RIDGELESS,
        (
            ("test_rest=ns.inf,", "test_rest=1,", "wrong constant"),
            ("test_linear=ns.inf,", "test_linear=0 * phi,", "wrong constant"),
        ),
    ),
    (
        "ridgeless_low_rank",
        _RIDGELESS,
        (
            ("p, u = 1 - phi, phi * (1 - psi) / psi", "p, u = 1 - psi, phi * (1 - psi) / psi", "swapped index"),
            ("Fraction(1, 3)", "Fraction(1, 2)", "wrong constant"),
            ("ratio(phi * phi, psi * c1**2 * u)", "ratio(phi, psi * c1**2 * u)", "dropped factor"),
        ),
    ),
)
