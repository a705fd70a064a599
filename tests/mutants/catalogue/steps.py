"""Mutants of the pencil and of the spectrum: (formula, file, ((old, new, kind), …))."""

_PENCIL, _ENGINES = "theory/pencil/equations.py", "theory/pencil/numerics.py"
_SPECTRUM, _OUTLIERS = "theory/bulk.py", "theory/pencil/outliers.py"

STEPS = (
    (
        "strengths",
        _PENCIL,
        (
            ("root_kappa**p / root_N ** (p - 1)", "root_kappa**p / root_N**p", "wrong power"),
            ("eta) * root_kappa**p", "eta) * root_kappa", "wrong power"),
            ("amplitude(p, c[1], c[p], eta)", "amplitude(p, c[p], c[1], eta)", "swapped index"),
        ),
    ),
    ("strengths", "theory/windows.py", (("return c1**k * c_k * eta**k", "return c1**k * c_k * eta", "wrong power"),)),
    (
        "spike_factor",
        _PENCIL,
        (
            ("size * weight * ns.sqrt(law_norm(j, law))", "size * weight * law_norm(j, law)", "wrong power"),
            ("+ xi(p, k) * entry", "+ entry", "dropped factor"),
            (
                "            for k in range(p % 2, p + 1, 2):",
                "            for k in range(p % 2, p, 2):",
                "bound off by one",
            ),
        ),
    ),
    (
        "pencil_blocks",
        _PENCIL,
        (
            ("weights = [factorial(k) * s for", "weights = [s for", "dropped factor"),
            ("[weight * (c * rho**k) for", "[weight * (c * rho) for", "wrong power"),
            ("weights[1] = linear\n", "weights[1] = s\n", "swapped index"),
        ),
    ),
    (
        "mid",
        _PENCIL,
        (
            ("] = -blocks.root_theta * Y[k][j]", "] = blocks.root_theta**2 * Y[k][j]", "wrong power"),
            ("+ blocks.coupling * Y[k][own]", "- blocks.coupling * Y[k][own]", "wrong sign"),
        ),
    ),
    (
        "mid",
        _ENGINES,
        (
            ("            change[size + k][k] -= 1\n", "", "missing term"),
            (
                "solution[i] * sum((x * z for x, z in zip(row, solution",
                "solution[i] * sum((x for x, z in zip(row, solution",
                "dropped factor",
            ),
        ),
    ),
    (
        "pencil_gains",
        _ENGINES,
        (
            ("sigma**2 / (1 + sigma**2), share**2", "sigma**2 / (1 - sigma**2), share**2", "wrong sign"),
            ("slope = 2 * np.einsum", "slope = np.einsum", "dropped factor"),
            (
                "-slope / (psi * traces.m1 / phi) ** 2\n\n\ndef _stacked",
                "-slope / (psi * traces.m1 / phi)\n\n\ndef _stacked",
                "wrong power",
            ),
            ("return [ridge * value,", "return [value,", "dropped factor"),
            ("slope -= 2 * x[:, 1]", "slope += 2 * x[:, 1]", "wrong sign"),
        ),
    ),
    (
        "bulk_curve",
        _SPECTRUM,
        (
            ("return -P * U / y\n", "return P * U / y\n", "wrong sign"),
            ("curve.ratio * y - own)", "y - own)", "dropped factor"),
            ("own = curve.rest + curve.linear * k\n", "own = curve.rest + curve.linear\n", "dropped factor"),
        ),
    ),
    (
        "bulk_edges",
        _SPECTRUM,
        (
            (
                "(P + U) * (curve.rest + curve.linear * k**2)",
                "(P + U) * (curve.rest + curve.linear * k)",
                "wrong power",
            ),
            ("k**2) + P * U", "k**2) - P * U", "wrong sign"),
        ),
    ),
    (
        "bulk_density",
        _SPECTRUM,
        (
            ("/ (np.pi * size))", "/ np.pi)", "dropped factor"),
            ("-y.imag * growth / np.abs(U) ** 2", "-y.imag * growth / np.abs(U)", "wrong power"),
            ("growth = ratio - phi *", "growth = ratio + phi *", "wrong sign"),
        ),
    ),
    (
        "bulk_atom",
        _SPECTRUM,
        (
            (
                "sizes = [Fraction(1), exact[0] / exact[1],",
                "sizes = [Fraction(1), exact[1] / exact[0],",
                "swapped index",
            ),
            (
                "self.curve.ratio * (self.curve.rest + self.curve.linear)",
                "self.curve.rest + self.curve.linear",
                "dropped factor",
            ),
        ),
    ),
    (
        "outliers",
        _OUTLIERS,
        (
            (
                "matrix[2 * size :, 2 * size :] *= value.sign",
                "matrix[2 * size :, 2 * size :] *= -value.sign",
                "wrong sign",
            ),
            ("return negative - size + sum", "return negative - size + 1 + sum", "bound off by one"),
            ("_TINY * traces.m2_slope),", "_TINY * traces.m1_slope),", "swapped index"),
        ),
    ),
    (
        "norm_spike",
        _OUTLIERS,
        (
            ("last = 1 + constant_spread(", "last = 1 - constant_spread(", "wrong sign"),
            ("at.m1 * at.theta / phi)", "at.m1 * at.theta)", "dropped factor"),
            (
                "[-constant_spread(c2, 1 / pencil.setting.phi)",
                "[-constant_spread(c2, pencil.setting.phi)",
                "wrong power",
            ),
        ),
    ),
    (
        "overlaps",
        _OUTLIERS,
        (
            (
                "- rate.blocks.root_theta * (through.T @ x3)",
                "+ rate.blocks.root_theta * (through.T @ x3)",
                "wrong sign",
            ),
            ("(growth[:, None] * norms)", "growth[:, None]", "dropped factor"),
            ("[:, None] * x1) / 2", "[:, None] * x1)", "dropped factor"),
        ),
    ),
    (
        "powers_kept",
        _OUTLIERS,
        (
            ("math.ceil(1 / room) - 1)", "math.ceil(1 / room))", "bound off by one"),
            ("room = 1 - 2 * (Fraction(alpha)", "room = 1 - (Fraction(alpha)", "dropped factor"),
        ),
    ),
)
