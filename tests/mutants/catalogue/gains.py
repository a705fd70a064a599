"""Mutants of theory sections 6 to 9.3: (formula, file, ((old, new, kind), …))."""

_GAINS, _PRINTED, _WEIGHTS = "theory/gains.py", "theory/printed.py", "theory/weights.py"
_EXTENSION, _PENCIL = "theory/extension.py", "theory/pencil/equations.py"

GAINS = (
    (
        "weights",
        _WEIGHTS,
        (
            ("train_linear=lam * psi * m2 / phi", "train_linear=psi * m2 / phi", "dropped factor"),
            ("test_linear=-m2_slope / m1 / s", "test_linear=-m2_slope / m1", "dropped factor"),
            ("test_rest=-m1_slope / m1 / s", "test_rest=-m2_slope / m1 / s", "swapped index"),
        ),
    ),
    (
        "Omega_inverse",
        _PRINTED,
        (
            ("kappa ** ((i + j) // 2)", "kappa ** (i + j)", "wrong power"),
            ("for k in range(min(i, j) + 1) if", "for k in range(min(i, j)) if", "bound off by one"),
            ("xi(i, k) * xi(j, k)) for", "xi(i, k) * xi(i, k)) for", "swapped index"),
        ),
    ),
    (
        "Omega",
        _PRINTED,
        (
            ("weights, root_kappa**2), q)", "weights, root_kappa), q)", "wrong power"),
            ("return self.constant if k == 0", "return self.linear if k == 0", "swapped index"),
        ),
    ),
    ("Omega", "symbolic/matrices.py", ((".inv()", "", "inverse left out"),)),
    (
        "r",
        _PRINTED,
        (
            ("return weights(p) * rho**p", "return weights(p) * rho", "wrong power"),
            ("return weights(p) * rho**p", "return weights(0) * rho**p", "swapped index"),
        ),
    ),
    (
        "T",
        _GAINS,
        (
            ("((-1) ** j * double_factorial(2 * j - 1) * c", "(double_factorial(2 * j - 1) * c", "wrong sign"),
            ("double_factorial(2 * j - 1) * c", "double_factorial(2 * j + 1) * c", "bound off by one"),
            ("even = c_star[1 : 2 * M : 2]", "even = c_star[1 : 2 * M - 2 : 2]", "bound off by one"),
        ),
    ),
    (
        "B",
        _GAINS,
        (
            ("explained = explained - floor", "explained = explained + floor", "wrong sign"),
            ("at, beside) / (norm + zeta)", "at, beside) / (1 + zeta)", "wrong constant"),
            ("reached = k <= reach[k % 2]", "reached = k < reach[k % 2]", "bound off by one"),
        ),
    ),
    (
        "left",
        _GAINS,
        (
            ("t) + parts.beyond", "t)", "missing term"),
            (
                "one_minus_t * ns.polynomial(parts.energies_quotient, t)",
                "ns.polynomial(parts.energies_quotient, t)",
                "dropped factor",
            ),
            ("reversed(coefficients[1:])", "reversed(coefficients[2:])", "bound off by one"),
        ),
    ),
    (
        "Delta",
        _GAINS,
        (
            (
                "train_gain=times(weights.train_linear, gained)",
                "train_gain=times(weights.train_rest, gained)",
                "swapped index",
            ),
            ("times(weights.train_rest, share.explained)", "times(weights.train_rest, share.left)", "swapped index"),
            ("gained, missed = linear * t,", "gained, missed = linear,", "dropped factor"),
        ),
    ),
    ("Delta", _PRINTED, (("return _dot(*fit(", "return 2 * _dot(*fit(", "wrong constant"),)),
    (
        "Lambda",
        _GAINS,
        (
            (
                "test_gain=times(weights.test_linear, gained)",
                "test_gain=times(weights.train_linear, gained)",
                "swapped index",
            ),
            ("times(weights.test_rest, share.explained) + lifted", "lifted", "missing term"),
        ),
    ),
    ("Lambda", _PRINTED, (("c_star, rho, 1)) - _dot(b, P_b)", "c_star, rho, 1)) + _dot(b, P_b)", "wrong sign"),)),
    (
        "train_loss",
        _GAINS,
        (
            (
                "train_loss=times(weights.train_linear, missed)",
                "train_loss=times(weights.train_linear, gained)",
                "swapped index",
            ),
            (
                "times(weights.train_rest, left + share.floor)",
                "times(weights.train_rest, left - share.floor)",
                "wrong sign",
            ),
        ),
    ),
    (
        "test_loss",
        _GAINS,
        (
            ("times(weights.test_rest, left) + floored", "times(weights.test_rest, left)", "missing term"),
            ("left = share.left + noise_variance", "left = share.left", "missing term"),
        ),
    ),
    (
        "train_error",
        _GAINS,
        (
            ("return times(test_loss, train_rest**2)", "return times(test_loss, train_rest)", "wrong power"),
            (
                "train_error=train_error(weights.train_rest, test_loss, times)",
                "train_error=train_error(weights.train_rest, test_loss_initial, times)",
                "swapped index",
            ),
        ),
    ),
    (
        "train_error",
        _PRINTED,
        (("train_error(train.rest, loss", "train_error(train.linear, loss", "swapped index"),),
    ),
    (
        "train_error",
        "theory/dressed/forms.py",
        (
            ("return -(ridge**2) * slope", "return -ridge * slope", "wrong power"),
            ("solution, solution.by_ridge)", "solution, solution.by_leverage)", "swapped index"),
        ),
    ),
    (
        "train_error",
        "finite_step.py",
        (("left = ridge * float(pencil.problem.psi)", "left = float(pencil.problem.psi)", "dropped factor"),),
    ),
    (
        "slides_Lambda",
        _PRINTED,
        (
            ("(3 * kappa**2 * m1**2)", "(3 * kappa**2)", "dropped factor"),
            ("first = c_star_1**4 / kappa", "first = c_star_1**2 / kappa", "wrong power"),
        ),
    ),
    (
        "ceiling",
        _GAINS,
        (
            ("explained = at_t - at_zero - linear * t", "explained = at_t - linear * t", "missing term"),
            ("sign = -1 if spikes == ODD else 1", "sign = 1", "wrong sign"),
            ("(at_one - at_t) - linear * one_minus_t - at_zero", "(at_one - at_t) - at_zero", "missing term"),
        ),
    ),
    (
        "projection",
        _PRINTED,
        (
            ("(xi(i, p) * (c_star[p - 1]", "(xi(p, i) * (c_star[p - 1]", "swapped index"),
            (
                "for p in range(1, min(i, len(c_star)) + 1)",
                "for p in range(1, min(i, len(c_star)))",
                "bound off by one",
            ),
            ("return 2 * _dot(b, proj", "return _dot(b, proj", "dropped factor"),
            ("else factorial(k) * self.rest", "else self.rest", "dropped factor"),
        ),
    ),
    (
        "gaps",
        _EXTENSION,
        (
            ("(factorial(j) * value * g[j]", "(value * g[j]", "dropped factor"),
            ("rest.get(j, 0) - share * value", "rest.get(j, 0) + share * value", "wrong sign"),
            ("range(3 if odd else 0,", "range(1 if odd else 0,", "wrong constant"),
        ),
    ),
    ("gaps", _GAINS, (("factorial(j) * _in(ns, direction", "_in(ns, direction", "dropped factor"),)),
    (
        "zeta",
        _WEIGHTS,
        (
            ("return 2 * c2**2 * spread", "return c2**2 * spread", "dropped factor"),
            ("return 2 * c2**2 * spread", "return 2 * c2 * spread", "wrong power"),
            ("spread=s * theta / psi", "spread=s * theta", "dropped factor"),
        ),
    ),
    (
        "constant_weight",
        _PRINTED,
        (
            ("kept = 1 / (1 + zeta)", "kept = 1 / (1 - zeta)", "wrong sign"),
            ("weights.test_rest - zeta * kept", "weights.test_rest + zeta * kept", "wrong sign"),
        ),
    ),
    ("constant_weight", _GAINS, (("share.floor * (1 - share.kept)", "share.floor * share.kept", "wrong constant"),)),
    (
        "initial_scatter",
        _GAINS,
        (
            ("return c1**2 + c_rest**2 + 2", "return c_rest**2 + 2", "missing term"),
            ("2 * c2_constant**2 / psi", "2 * c2_constant**2", "dropped factor"),
        ),
    ),
    (
        "initial_scatter",
        "theory/limits.py",
        (
            ("off = sampled + constants.c1**2 if", "off = sampled if", "missing term"),
            ("noise_variance + initial_variance_of(", "noise_variance - initial_variance_of(", "wrong sign"),
        ),
    ),
    (
        "initial_weight",
        _PENCIL,
        (
            ("psi * (1 + s * c_rest**2) * missed", "psi * missed", "dropped factor"),
            ("missed - c1**2 * linear)", "missed + c1**2 * linear)", "wrong sign"),
        ),
    ),
    (
        "initial_coupling",
        _PENCIL,
        (
            ("coupling = -psi * missed", "coupling = psi * missed", "wrong sign"),
            ("-psi * missed / ns.sqrt(kappa)", "-psi * missed / kappa", "wrong power"),
        ),
    ),
    (
        "initial_identity",
        _PENCIL,
        (
            ("missed = 1 - at.m2 / at.m1", "missed = 1 + at.m2 / at.m1", "wrong sign"),
            ("c1**2 * linear) / kappa", "c1**2 * linear)", "dropped factor"),
        ),
    ),
    (
        "second_layer",
        _PENCIL,
        (
            (
                'return {p % 2 if law == "sign" else 0: 1}',
                'return {p % 2 if law == "constant" else 0: 1}',
                "swapped index",
            ),
            ('return factorial(j) if law == "gaussian" else 1', "return 1", "dropped factor"),
            (
                "{j: xi(p, j) for j in range(p % 2, p + 1, 2)}",
                "{j: xi(p, j) for j in range(p % 2, p, 2)}",
                "bound off by one",
            ),
        ),
    ),
)
