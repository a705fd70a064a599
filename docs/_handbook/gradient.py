"""The rest of the gradient: its size, its law, and how it turns neurons (docs/theory/turning.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from docs._handbook import dressed_statements as statements
from docs._handbook.cases import CASE, middle, solved
from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, Typed, lines, named
from theorycalc.theory.case import gradient_spread, scatter
from theorycalc.theory.dressed.residual import bulk_transform, residual_of, resolvent
from theorycalc.theory.dressed.turning import only_its_spike, quadratic_of, spread_of


def _residual_example() -> dict[str, Any]:
    network, _ = solved()
    law = residual_of(network.step, 0)
    return {"E r² and m(i)": (float(law.mean(law.r**2)), complex(bulk_transform(law, np.array([1j]))[0]))}


def _shares_example() -> dict[str, Any]:
    described = solved()[0].step
    found = resolvent(residual_of(described, 0), np.array([1j]))
    teacher, rest = (complex(found.directions[d, d, 0]) for d in (0, 1))
    return {"transforms of β⋆ and c at z = i": (teacher, rest)}


def _turning_example() -> dict[str, Any]:
    network, _ = solved()
    u, _ = middle()
    return {"A_0, A_1, A_2 at one node": tuple(float(part[0, u]) for part in spread_of(network))}


def _quadratic_example() -> dict[str, Any]:
    return {"t_0, t_1, t_2": quadratic_of(residual_of(solved()[0].step, 0))}


def _spike_example() -> dict[str, Any]:
    network, _ = solved()
    return {"its place in the spectrum of S": float(only_its_spike(network).nodes.s[1])}


GRADIENT = {
    "gradient_scatter": HandbookEntry(
        "addition of sampling to the squared length of the step",
        "new",
        "theory/direction.md#κ-and-ρ",
        NOT_IN_SOURCE,
        "r = y − f₀, or y; φ₀ = d/n₀ for a step on n₀ points; Var f₀ only where r = y − f₀",
        ("theory.case: scatter", "theory.case: case_at"),
        lambda: lines(
            (
                r"\phi_0 \mathbb{E} r^{2}",
                scatter(
                    named("c_{\\star}") ** 2,
                    named(r"\sigma_{\varepsilon}") ** 2 + named(r"\operatorname{Var} f_0"),
                    named(r"\phi_0"),
                ),
            )
        ),
        lambda: {"c_⋆² + σ_ε² = 2, φ₀ = 1/2": scatter(1, 1, 0.5)},
    ),
    "gradient_spread": HandbookEntry(
        "variance that the rest of the gradient adds to a neuron",
        "new",
        "theory/direction.md#why-the-gradient-is-nearly-of-rank-one",
        NOT_IN_SOURCE,
        "per u², u = ηa_i; σ' square integrable",
        ("theory.case: gradient_spread", "theory.dressed.nodes_of_kinds: slope_variance"),
        lambda: lines(
            ("v", gradient_spread(named(r"\operatorname{Var} \sigma'(Z)"), named(r"\phi_0 \mathbb{E} r^{2}")))
        ),
        lambda: {"v": solved()[0].step.spread},
        setting=CASE,
    ),
    "residual_law": HandbookEntry(
        "the law of the gradient's rest",
        "new",
        "theory/turning.md#the-law-of-s",
        f"{NOT_IN_SOURCE}; a generalised Marchenko–Pastur equation",
        "S = Xᵀdiag(r)X/n; Im z > 0, and the root with Im m > 0; for T with φ₀r² in place of r",
        ("theory.dressed.residual: bulk_transform", "theory.dressed.residual: residual_of"),
        Typed(
            r"m(z) = \frac{1}{k(m) - z}, \qquad k(m) = \mathbb{E} \frac{r}{1 + \phi_0 r m}",
            "Newton's method finds m at complex numbers",
        ),
        _residual_example,
        setting=CASE,
    ),
    "residual_shares": HandbookEntry(
        "shares of β⋆, of the step and of W₀ᵀa in that law",
        "new",
        "theory/turning.md#the-law-of-s",
        NOT_IN_SOURCE,
        "D: the coordinates of x that r depends on; b = Xᵀr/n; Im z > 0; for T see the page",
        ("theory.dressed.residual: resolvent",),
        Typed(
            r"\begin{aligned} k_D &= \mathbb{E} \frac{r x_D}{1 + \phi_0 r m}, \quad K_D = \mathbb{E} \frac{r x_D "
            r"x_D^\top}{1 + \phi_0 r m}, \quad G_D = (K_D - z)^{-1}, \\ G_{D b} &= G_D k_D, \quad G_{b b} = "
            r"\mathbb{E} r - k "
            r"+ k_D^\top G_D k_D \end{aligned}",
            "the forms are taken at the m that Newton's method finds",
        ),
        _shares_example,
        setting=CASE,
    ),
    "turning": HandbookEntry(
        "how the rest of the gradient spreads neurons",
        "new",
        "theory/turning.md#what-moves-a-neuron",
        NOT_IN_SOURCE,
        "ϖ = Var σ' − 4c_2² ≥ 0; tr C/d = 1; T itself takes the place of S where c_2 = 0",
        ("theory.dressed.turning: spread_of",),
        Typed(
            r"C(u) = \frac{(1 + 2 c_2 u S)^2 + u^2 \varpi T}{s_u^2} = A_0 + A_1 S + A_2 S^2, \qquad T \approx t_0 "
            r"+ t_1 S + "
            r"t_2 S^2",
            "its coefficients come with a numerical law of S",
        ),
        _turning_example,
        setting=CASE,
    ),
    "turning_noise": HandbookEntry(
        "the gradient's noise as a quadratic function of S",
        "new",
        "theory/turning.md#the-law-of-s",
        NOT_IN_SOURCE,
        "κ_p = φ₀^{p−1} E r^p, p = 2, 3, 4, the free cumulants of S; E r = 0",
        ("theory.dressed.turning: quadratic_of",),
        Typed(
            r"\begin{pmatrix} 1 & 0 & \kappa_2 \\ 0 & \kappa_2 & \kappa_3 \\ \kappa_2 & \kappa_3 & \kappa_4 + 2 "
            r"\kappa_2^2 \end{pmatrix} \begin{pmatrix} t_0 \\ t_1 \\ t_2 \end{pmatrix} = \begin{pmatrix} \kappa_2 \\ "
            r"\kappa_3 \\ \kappa_4 + \kappa_2^2 \end{pmatrix}",
            "the moments and the linear system are floats",
        ),
        _quadratic_example,
        setting=CASE,
    ),
    "isotropic": HandbookEntry(
        "S as its spike alone",
        "new",
        "theory/dressed.md#the-spike-of-s",
        NOT_IN_SOURCE,
        'method="isotropic": s is the eigenvalue of S along β⋆, and C(u) = 1 + A_2 S² for the first shape; the rest '
        "of S counts "
        "as even noise. With the initial output c · W₀ᵀa → −c_1/√(κ̃(1 − ρ̃²))",
        ("theory.dressed.turning: only_its_spike",),
        statements.isotropic,
        _spike_example,
        setting=CASE,
    ),
}
