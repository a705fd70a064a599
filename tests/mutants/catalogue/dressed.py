"""Mutants of dressed features: (formula, file, ((old, new, kind), …))."""

_SETUP, _RESPONSES, _NETWORK = (f"theory/dressed/{name}.py" for name in ("setup", "responses", "network"))
_FIXED, _FORMS, _OUTLIERS = (f"theory/dressed/{name}.py" for name in ("fixed_point", "forms", "outliers"))
_RESIDUAL, _TURNING = (f"theory/dressed/{name}.py" for name in ("residual", "turning"))

DRESSED = (
    (
        "gradient_scatter",
        "theory/limits.py",
        (
            ("off / length, sampled)", "off / length, off)", "swapped index"),
            ("scatter(parts.linear + parts.rest,", "scatter(parts.rest,", "missing term"),
        ),
    ),
    (
        "gradient_spread",
        "theory/lengthened.py",
        (
            ("return slope_variance * scatter", "return scatter", "dropped factor"),
            ("return slope_variance * scatter", "return slope_variance", "dropped factor"),
        ),
    ),
    (
        "responses",
        _RESPONSES,
        (
            ("values**2 @ weights - mean**2])", "values**2 @ weights])", "missing term"),
            ("weights * z, weights * (z**2 - 1)]", "weights, weights * (z**2 - 1)]", "dropped factor"),
            ("weighted, z) - mean, square - mean**2])", "weighted, z) - mean, square + mean**2])", "wrong sign"),
        ),
    ),
    ("responses", _NETWORK, (("(step.c1 * math.sqrt(step.kappa)) * u", "(step.c1 * step.kappa) * u", "wrong power"),)),
    (
        "linear_factors",
        _NETWORK,
        (
            ("found.variance - (loadings @ shapes / root) ** 2", "found.variance", "missing term"),
            ("(loadings @ shapes / root) ** 2", "(loadings @ shapes) ** 2", "dropped factor"),
        ),
    ),
    (
        "fixed_point",
        _FIXED,
        (
            ("u_terms = 1 + noise_h + linear", "u_terms = 1 + linear", "missing term"),
            ("h_terms = ridge + step.phi / step.psi * noise_u", "h_terms = ridge + noise_u", "dropped factor"),
            ("+ step.phi * between\n", "+ between\n", "dropped factor"),
            ("part_alpha, part_alpha) / network.step.psi", "part_alpha, part_alpha)", "dropped factor"),
        ),
    ),
    (
        "label_moments",
        _FORMS,
        (
            ("along_rest=other * h * found.mean - rho", "along_rest=other * h * found.mean + rho", "wrong sign"),
            ("along_teacher=rho * h * found.mean + other", "along_teacher=rho * h * found.mean + rho", "swapped index"),
            ("+ found.mean**2 + network.step.noise_variance", "+ network.step.noise_variance", "missing term"),
        ),
    ),
    (
        "stacked_forms",
        _FORMS,
        (
            ("np.eye(Z.shape[-1]) + Z @ changed)", "np.eye(Z.shape[-1]) - Z @ changed)", "wrong sign"),
            ("P=_diagonal(g) - along_nodes", "P=_diagonal(g) + along_nodes", "wrong sign"),
            (
                "other**2 * h**2 + rho**2, rho * other * (h**2 - 1)",
                "other**2 * h**2 + rho**2, other * (h**2 - 1)",
                "dropped factor",
            ),
            ("for d in (rho, other)]", "for d in (other, rho)]", "swapped index"),
        ),
    ),
    (
        "own_direction",
        _FORMS,
        (
            (
                "return Z + transposed(tau) @ with_own @ tau,",
                "return Z - transposed(tau) @ with_own @ tau,",
                "wrong sign",
            ),
            ("_diagonal(1 / Q) + extra)", "_diagonal(1 / Q) - extra)", "wrong sign"),
            ("[root * network.a[:, None] * kept", "[root * kept", "dropped factor"),
        ),
    ),
    (
        "mean_part",
        _FORMS,
        (
            ("mid[..., size:, size:] = -forms.gram", "mid[..., size:, size:] = forms.gram", "wrong sign"),
            ("right = (np.eye(size) + forms.coupling)", "right = (np.eye(size) - forms.coupling)", "wrong sign"),
            ("return plain - _dot(vector", "return plain + _dot(vector", "wrong sign"),
        ),
    ),
    (
        "norm_response",
        _FORMS,
        (
            ("network.norm_response) / (2 * step.psi)", "network.norm_response) / step.psi", "dropped factor"),
            ("gram = gram + second_moment(", "gram = gram - second_moment(", "wrong sign"),
        ),
    ),
    (
        "norm_response",
        "theory/dressed/neurons.py",
        (
            ("found.quadratic / scale[:, :, None] ** 2 * root", "found.quadratic * root", "dropped factor"),
            (
                "found.quadratic / scale[:, :, None] ** 2 * root",
                "found.quadratic / scale[:, :, None] ** 2",
                "dropped factor",
            ),
        ),
    ),
    (
        "leave_one_out",
        _FORMS,
        (
            ("return ridge * form.real,", "return form.real,", "dropped factor"),
            ("return ridge * form.real, -form.imag / TINY", "return ridge * form.real, form.imag / TINY", "wrong sign"),
        ),
    ),
    (
        "leave_one_out",
        _FIXED,
        (
            ("= 1 / found.g**2, 1", "= 1 / found.g, 1", "wrong power"),
            ("-slopes[:, size:, i] * found.g**2", "-slopes[:, size:, i] * found.g", "wrong power"),
        ),
    ),
    (
        "residual_law",
        _RESIDUAL,
        (
            ("excess = m * (k - z) - 1", "excess = m * (k + z) - 1", "wrong sign"),
            (
                "        part = law.r / (1 + law.ratio * m[:, None] * law.r)\n        k =",
                "        part = law.r / (1 + m[:, None] * law.r)\n        k =",
                "dropped factor",
            ),
        ),
    ),
    (
        "residual_shares",
        _RESIDUAL,
        (
            ("determinant = gg * oo - go**2", "determinant = gg * oo + go**2", "wrong sign"),
            ("cross = (unit_teacher - rho * teacher)", "cross = (unit_teacher + rho * teacher)", "wrong sign"),
            ("(step / kappa - 2 * rho * unit_teacher", "(step / kappa - rho * unit_teacher", "dropped factor"),
            ("law.mean(part) + k_g * step_teacher", "law.mean(part) - k_g * step_teacher", "wrong sign"),
        ),
    ),
    (
        "turning",
        _TURNING,
        (
            ("(4 * step.c2 * u + noise * t1)", "(2 * step.c2 * u + noise * t1)", "wrong constant"),
            ("return (1 + noise * t0) / s2", "return 1 / s2", "missing term"),
            ("kept = 1 / network.scale, 2 * step.c2", "kept = 1 / network.scale, step.c2", "dropped factor"),
        ),
    ),
    (
        "turning_noise",
        _TURNING,
        (
            ("c4 + 2 * c2**2]])", "c4 + c2**2]])", "wrong constant"),
            ("with_T = np.array([c2, c3, c4 + c2**2])", "with_T = np.array([c2, c3, c4])", "missing term"),
            ("law.ratio ** (p - 1)", "law.ratio**p", "wrong power"),
        ),
    ),
    (
        "isotropic",
        _TURNING,
        (
            ("nodes=Nodes(2 * step.c_star_2 * spike", "nodes=Nodes(step.c_star_2 * spike", "dropped factor"),
            ("(2 * step.c2 * u / network.scale) ** 2)", "(2 * step.c2 * u) ** 2)", "dropped factor"),
            ("omega = -step.c1 /", "omega = step.c1 /", "wrong sign"),
        ),
    ),
    (
        "dressed_outliers",
        _OUTLIERS,
        (
            ("at = -np.repeat(z[:, None]", "at = np.repeat(z[:, None]", "wrong sign"),
            (
                "-(((root * f) @ lower) ** 2) / math.factorial(k) / slope",
                "-(((root * f) @ lower) ** 2) / slope",
                "dropped factor",
            ),
        ),
    ),
)
