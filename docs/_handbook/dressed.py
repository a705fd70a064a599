"""Dressed features: steps of any size (docs/theory/dressed.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from docs._handbook.dressed_case import CASE, ETA, middle, solved
from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, typed
from theorycalc.results.finite_step import step
from theorycalc.theory.dressed.forms import Forms, forms_of, label_form, labels_given
from theorycalc.theory.dressed.outliers import dressed_outliers
from theorycalc.theory.dressed.responses import Function, responses

_ANY = "η ≥ 0, λ > 0; σ with the derivative that the step needs"
_NODES = "functions of h by their values at the nodes of a rule"


def _response_example() -> dict[str, Any]:
    found = responses(Function(np.square, ()), np.array([1.0]), np.array([2.0]), 0)
    return {
        "σ(t) = t², at 2z + 1: μ_0, μ_1, Var": tuple(
            float(part[0]) for part in (found.mean, found.linear, found.variance)
        )
    }


def _factors_example() -> dict[str, Any]:
    network, _ = solved()
    return {"shapes kept": network.shapes.shape[1], "least ν²": float(network.noise.min())}


def _fixed_point_example() -> dict[str, Any]:
    _, solution = solved()
    u, h = middle()
    return {
        "ς and Q at two nodes": (1 / float(solution.by_ridge.g.value[0, h]), float(solution.by_ridge.Q.value[0, u])),
        "residual": float(solution.residual[0]),
    }


def _labels_example() -> dict[str, Any]:
    network, _ = solved()
    found, weights = labels_given(network, 0), network.h_weights
    means = {"E y": found.mean, "E y²": found.square, "E[y h x·β⋆]": network.h * found.along_teacher}
    return {name: float(weights @ values) for name, values in means.items()}


def _forms() -> Forms:
    network, solution = solved()
    return forms_of(network, solution.turning, solution.by_ridge)


def _directions_example() -> dict[str, Any]:
    Z = _forms().Z_all.value[0]
    rest = len(Z) // 2
    return {"Z_all of the first shape along β⋆ and along c": (float(Z[0, 0]), float(Z[rest, rest]))}


def _own_example() -> dict[str, Any]:
    return {"largest entry of the coupling E": float(np.abs(_forms().coupling.value[0]).max())}


def _label_form_example() -> dict[str, Any]:
    network, solution = solved()
    form = label_form(network, labels_given(network, 0), _forms(), solution.by_ridge.g)
    return {"ỹᵀRỹ": float(form.value[0])}


def _losses_example() -> dict[str, Any]:
    found = step(PROBLEM, n=1000, alpha="3/10")
    return {"training and test loss, n = 1000": (found.train_loss, found.test_loss)}


def _norm_example() -> dict[str, Any]:
    gaussian = replace(PROBLEM, first_layer="gaussian")
    gains = [step(case, n=1000, alpha="3/10", gradient="labels").train_gain for case in (PROBLEM, gaussian)]
    return {f"training gain, sphere and Gaussian rows, n = 1000, η = n^{{3/10}} ({PROBLEM_TEXT})": tuple(gains)}


def _outlier_example() -> dict[str, Any]:
    found = dressed_outliers(solved()[0].step, ETA)
    return {"outliers and edge": (*map(float, found.places), found.edge)}


DRESSED = {
    "responses": HandbookEntry(
        "what a neuron answers on average",
        "new",
        "theory/dressed.md#the-network-after-the-step",
        NOT_IN_SOURCE,
        "u = ηa_i, h ~ N(0, 1) along the step, Z ~ N(0, 1); s_u² = 1 + u²v",
        ("theory.dressed.responses: responses", "theory.dressed.neurons: network_after"),
        typed(
            r"\begin{aligned} \mu_0(u, h) &= \mathbb{E} \sigma(t), \quad \mu_1(u, h) = \mathbb{E}[Z \sigma(t)], "
            r"\quad t = "
            r"s_u Z + u c_1 \sqrt{\kappa} \, h \quad (\mathbb{E} \sigma(Z) = 0) \end{aligned}"
        ),
        _response_example,
        made="typed",
    ),
    "linear_factors": HandbookEntry(
        "features that the step makes, and what is left as noise",
        "new",
        "theory/dressed.md#the-network-after-the-step",
        NOT_IN_SOURCE,
        "by a singular value decomposition in the weights of u and h; shapes below 1e-6 of the first are noise",
        ("theory.dressed.neurons: factors", "theory.dressed.neurons: network_after"),
        typed(
            r"\mu_1(u, h) = \sum_r \alpha_r(u) \gamma_r(h), \qquad \nu^2(u, h) = \operatorname{Var} \sigma(t) - "
            r"\left( "
            r"\sum_r \alpha_r(u) \gamma_r(h) \right)^2"
        ),
        _factors_example,
        made="typed",
        setting=CASE,
    ),
    "fixed_point": HandbookEntry(
        "the resolvent of the features without their mean",
        "new",
        "theory/dressed.md#the-fixed-point",
        NOT_IN_SOURCE,
        f"{_ANY}; g = 1/ς, ⟨·⟩ the mean over the spectrum of S; one solution with ς, Q > 0",
        (
            "theory.dressed.fixed_point: balance",
            "theory.dressed.fixed_point: operators_of",
            "theory.dressed.fixed_point: solve",
        ),
        typed(
            r"\begin{aligned} V &= \mathbb{E}_h[\gamma \gamma^\top g], \quad K(S) = \tfrac{1}{\psi} "
            r"\mathbb{E}_u[Q \, C(u, S) \, \alpha \alpha^\top], \\ \mathcal{E} &= (I + V K)^{-1} V, \quad Z = K (I + "
            r"V K)^{-1}, \\ \frac{1}{Q(u)} &= 1 + \mathbb{E}_h[\nu^2 g] + \alpha^\top \langle C \, \mathcal{E} \rangle "
            r"\alpha, \quad \varsigma(h) = \lambda(h) + \tfrac{\phi}{\psi} \mathbb{E}_u[\nu^2 Q] + \phi \, "
            r"\gamma^\top \langle Z \rangle \gamma \end{aligned}"
        ),
        _fixed_point_example,
        made="typed",
        setting=CASE,
    ),
    "label_moments": HandbookEntry(
        "labels given the projection on the step",
        "new",
        "theory/dressed.md#quadratic-forms",
        NOT_IN_SOURCE,
        "g, h independent N(0, 1); c is the part of the step orthogonal to β⋆",
        ("theory.dressed.forms: labels_given",),
        typed(
            r"x \cdot \beta_\star = \rho h + \sqrt{1 - \rho^2} \, g, \qquad x \cdot c = \sqrt{1 - \rho^2} \, h - "
            r"\rho g, "
            r"\qquad y = \sigma_\star(x \cdot \beta_\star) + \varepsilon"
        ),
        _labels_example,
        made="typed",
        setting=CASE,
    ),
    "stacked_forms": HandbookEntry(
        "quadratic forms, with the two directions stacked",
        "new",
        "theory/dressed.md#both-directions-together",
        NOT_IN_SOURCE,
        f"functions f, k of a point; {_NODES}",
        ("theory.dressed.forms: forms_of",),
        typed(
            r"\begin{aligned} f^\top \tilde{R} k &\to \mathbb{E}[f k g] - \ell_f^\top Z_{\mathrm{all}} \ell_k, \quad "
            r"\ell_f = \left( \mathbb{E}[\gamma f (x \cdot d) g] \right)_{d = \beta_\star, c}, \\ "
            r"Z_{\mathrm{all}} &= (I + "
            r"Z \Delta V)^{-1} Z, \quad \Delta V_{d d'} = \mathbb{E}[\gamma \gamma^\top g \, ((x \cdot d)(x \cdot "
            r"d') - "
            r"\delta_{d d'})] \end{aligned}"
        ),
        _directions_example,
        made="typed",
        setting=CASE,
    ),
    "own_direction": HandbookEntry(
        "the initial output in every neuron",
        "new",
        "theory/dressed.md#the-initial-output",
        NOT_IN_SOURCE,
        'gradient="residual"; the mean is over the share of the spectrum of S that d has with ω = W₀ᵀa',
        ("theory.dressed.forms: directions_of",),
        typed(
            r"t_{u,d} = a \, \langle (w_i \cdot \hat{w}_i) (I + V K)^{-1} \rangle_{d \omega}^\top \alpha, \qquad Z "
            r"\leftarrow Z + N \, \mathbb{E}_u[t_u t_u^\top Q], \qquad E = \ell^\top N \, \mathbb{E}_u[t_u "
            r"\mu_0^\top Q]"
        ),
        _own_example,
        made="typed",
        setting=CASE,
    ),
    "mean_part": HandbookEntry(
        "the mean part, as spikes enter the pencil",
        "new",
        "theory/dressed.md#the-mean-part",
        NOT_IN_SOURCE,
        _NODES,
        ("theory.dressed.forms: mid_of", "theory.dressed.forms: label_form"),
        typed(
            r"\mathrm{Mid} = \begin{pmatrix} P & I + E \\ (I + E)^\top & -N \, \mathbb{E}_u[\mu_0 \mu_0^\top Q] "
            r"\end{pmatrix}, \qquad \tilde{y}^\top R \tilde{y} = \tilde{y}^\top \tilde{R} \tilde{y} - Q^\top "
            r"\mathrm{Mid}^{-1} Q"
        ),
        _label_form_example,
        made="typed",
        setting=CASE,
    ),
    "norm_response": HandbookEntry(
        "rows of fluctuating length, after any step",
        "new",
        "theory/dressed.md#gaussian-first-layer",
        NOT_IN_SOURCE,
        'first_layer="gaussian": ‖w_i‖ fluctuates by 1/√(2d)',
        ("theory.dressed.forms: forms_of", "theory.dressed.neurons: network_after"),
        typed(
            r"N \, \mathbb{E}_u[\mu_0 \mu_0^\top Q] \leftarrow N \, \mathbb{E}_u[\mu_0 \mu_0^\top Q] + \frac{1}{2 "
            r"\psi} "
            r"\mathbb{E}_u[\mu_2 \mu_2^\top Q], \qquad \mu_2 = \frac{\mathbb{E}[(Z^2 - 1) \sigma(t)]}{s_u^2}"
        ),
        _norm_example,
        made="typed",
    ),
    "leave_one_out": HandbookEntry(
        "losses after a step of any size",
        "new",
        "theory/dressed.md#the-losses",
        NOT_IN_SOURCE,
        f"{_ANY}; ς is that of ε = 0",
        ("theory.dressed.forms: losses", "theory.dressed.fixed_point: with_slopes"),
        typed(
            r"L_{\mathrm{tr}} = \lambda \, \tilde{y}^\top R \tilde{y}, \qquad L_{\mathrm{te}} = -\frac{d}{d "
            r"\varepsilon} "
            r"\tilde{y}^\top R \tilde{y} \, \Big|_{\lambda(h) = \lambda + \varepsilon \varsigma(h)^2}"
        ),
        _losses_example,
        made="typed",
        setting=CASE,
    ),
    "dressed_outliers": HandbookEntry(
        "outliers after a step of any size",
        "new",
        "theory/dressed.md#outliers",
        NOT_IN_SOURCE,
        "z above the bulk, where the fixed point at λ = −z has a real solution with ς < 0",
        ("theory.dressed.outliers: continued", "theory.dressed.outliers: dressed_outliers"),
        typed(r"\det \mathrm{Mid}(\lambda = -z) = 0"),
        _outlier_example,
        made="typed",
        setting=CASE,
    ),
}
