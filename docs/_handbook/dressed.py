"""Dressed features: steps of any size (docs/theory/dressed.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from docs._handbook import dressed_statements as statements
from docs._handbook.cases import CASE, ETA, middle, solved
from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, Typed
from theorycalc.model.problem import Problem
from theorycalc.results.finite_step import step
from theorycalc.theory.dressed.accuracy import untrained_shift
from theorycalc.theory.dressed.forms import Forms, forms_of, label_form
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.multi_index import MultiIndex, given_h
from theorycalc.theory.dressed.neurons import step_of
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
    means = {"E y": found.mean, "E y²": found.square, "E[y h x·β⋆]": network.h * found.along[0]}
    return {name: float(weights @ values) for name, values in means.items()}


def _several_example() -> dict[str, Any]:
    described = step_of(Problem("relu", "t1 + t1*t2", "1/2", "2/3", "1/10", "1/2"), 600, "labels")
    assert isinstance(described.teacher, MultiIndex)
    found = given_h(described.teacher, np.ones(1), described.case.rho, described.case.off_teacher, 0)
    return {"E[y | h = 1]": float(found.mean[0]), "E[y t_2 | h = 1]": float(found.along[1, 0])}


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


def _lean_example() -> dict[str, Any]:
    _, found = solved()
    u, _ = middle()
    return {"l_u at a node": found.turning.lengths.lean[0, u]}


def _input_norm_example() -> dict[str, Any]:
    network, _ = solved()
    train, test, _ = untrained_shift(network.step, np.array([0.1]))[:, 0]
    return {"shapes kept": network.norm_shapes.shape[1], "change of both losses before the step": (train, test)}


def _own_output_example() -> dict[str, Any]:
    network, _ = solved()
    u, _ = middle()
    return {"m": network.step.own_output, "k_u and s_u at a node": (network.kept[0, u], network.scale[0, u])}


def _outlier_example() -> dict[str, Any]:
    found = dressed_outliers(solved()[0].step, ETA)
    return {"outliers and edge": (*map(float, found.places), found.edge)}


DRESSED = {
    "responses": HandbookEntry(
        "mean answer of a neuron, and its linear part",
        "new",
        "theory/dressed.md#the-network-after-the-step",
        NOT_IN_SOURCE,
        "u = ηa_i, h ~ N(0, 1) along the step, Z ~ N(0, 1); s_u² = k_u² + u²v, k_u = 1 for a step on the labels",
        ("theory.dressed.responses: responses", "theory.dressed.neurons: network_after"),
        Typed(
            r"\begin{aligned} \mu_0(u, h) &= \mathbb{E} \sigma(t), \quad \mu_1(u, h) = \mathbb{E}[Z \sigma(t)], "
            r"\quad t = "
            r"s_u Z + u c_1 \sqrt{\kappa} \, h \quad (\mathbb{E} \sigma(Z) = 0) \end{aligned}",
            "the moments are sums over the nodes of a quadrature rule",
        ),
        _response_example,
    ),
    "linear_factors": HandbookEntry(
        "features that the step makes, and the rest as noise",
        "new",
        "theory/dressed.md#the-network-after-the-step",
        NOT_IN_SOURCE,
        "by a singular value decomposition in the weights of u and h; shapes below 1e-6 of the first are noise",
        ("theory.dressed.nodes_of_kinds: factors", "theory.dressed.neurons: network_after"),
        Typed(
            r"\mu_1(u, h) = \sum_r \alpha_r(u) \gamma_r(h), \qquad \nu^2(u, h) = \operatorname{Var} \sigma(t) - "
            r"\left( "
            r"\sum_r \alpha_r(u) \gamma_r(h) \right)^2",
            "the factors come from a singular value decomposition",
        ),
        _factors_example,
        setting=CASE,
    ),
    "fixed_point": HandbookEntry(
        "the resolvent of the features without their mean",
        "new",
        "theory/dressed.md#the-fixed-point",
        NOT_IN_SOURCE,
        f"{_ANY}; g = 1/ς, C(u, s) the spread of neurons along an eigenvector of S, E_s the mean over its spectrum; "
        "with several shapes α and γ are vectors, V, K and T = (I + VK)⁻¹ matrices; one solution with ς, Q > 0",
        (
            "theory.dressed.fixed_point: balance",
            "theory.dressed.fixed_point: operators_of",
            "theory.dressed.fixed_point: solve",
        ),
        statements.fixed_point,
        _fixed_point_example,
        setting=CASE,
    ),
    "label_moments": HandbookEntry(
        "labels given the projection on the step",
        "new",
        "theory/dressed.md#quadratic-forms",
        NOT_IN_SOURCE,
        "g, h independent N(0, 1); c is the part of the step orthogonal to β⋆",
        ("theory.dressed.labels: labels_given",),
        Typed(
            r"x \cdot \beta_\star = \rho h + \sqrt{1 - \rho^2} \, g, \qquad x \cdot c = \sqrt{1 - \rho^2} \, h - "
            r"\rho g, "
            r"\qquad y = \sigma_\star(x \cdot \beta_\star) + \varepsilon",
            "the moments are sums over the nodes of a quadrature rule",
        ),
        _labels_example,
        setting=CASE,
    ),
    "several_directions": HandbookEntry(
        "labels of several directions, given the projection on the step",
        "new",
        "theory/several_directions.md#finite-steps",
        NOT_IN_SOURCE,
        "y = g(t) + ε with t = (t_1, …, t_r), û = E∇g/|E∇g|, u = û · t; E[f | h] is E[f p(u | h)/p(u)]",
        (
            "theory.dressed.multi_index: left_open",
            "theory.dressed.multi_index: likelihood",
            "theory.dressed.multi_index: given_h",
        ),
        statements.several_directions,
        _several_example,
        setting="ReLU, teacher t_1 + t_1t_2, φ = 1/2, ψ = 2/3, σ_ε = 1/2, N = 600",
    ),
    "stacked_forms": HandbookEntry(
        "quadratic forms, with the directions stacked",
        "new",
        "theory/dressed.md#both-directions-together",
        NOT_IN_SOURCE,
        "fᵀR̃k → E[f k g] − ℓ_fᵀ Z_all ℓ_k for functions f, k of a point, ℓ_f = E[γ f (x·d) g] along d = β⋆ and c, or "
        "all directions of the teacher and c, "
        f"shown for f = 1; Z_all = BZ; {_NODES}",
        ("theory.dressed.forms: forms_of",),
        statements.stacked_forms,
        _directions_example,
        setting=CASE,
    ),
    "own_direction": HandbookEntry(
        "the initial output in every neuron",
        "new",
        "theory/dressed.md#the-initial-output",
        NOT_IN_SOURCE,
        'gradient="residual"; ⟨T⟩_{ωd} is the mean over the share of the spectrum of S that d has with ω = W₀ᵀa, '
        "k = w_i · ŵ_i; Q_ω stands for Q, Z'_{cc} for Z along c; e couples β⋆ and c to the mean part",
        ("theory.dressed.direction_forms: directions_of",),
        statements.own_direction,
        _own_example,
        setting=CASE,
    ),
    "mean_part": HandbookEntry(
        "the mean part, as spikes enter the pencil",
        "new",
        "theory/dressed.md#the-mean-part",
        NOT_IN_SOURCE,
        "P, E and G are the forms of the node functions, between both, and of the mean part, G = N E_u[μ_0² Q]; M = "
        "Mid⁻¹, with √g as unit of its upper half; ȳ, y_⋆ and y_c are the means of y, y x·β⋆ and y x·c given h, ℓ_⋆ "
        f"and ℓ_c the ℓ of a node; shown for a step on the labels; {_NODES}",
        ("theory.dressed.forms: mid_of", "theory.dressed.forms: label_form"),
        statements.mean_part,
        _label_form_example,
        setting=CASE,
    ),
    "norm_response": HandbookEntry(
        "neurons of different lengths, after any step",
        "new",
        "theory/dressed.md#gaussian-first-layer",
        NOT_IN_SOURCE,
        "ℓ_u: d/2 times the variance of ‖w_i‖²/s_u², by a Gaussian first layer and by the step; μ_2 = E[(Z² − 1)σ(t)]",
        ("theory.dressed.forms: forms_of", "theory.dressed.neurons: network_after"),
        statements.norm_response,
        _norm_example,
    ),
    "leaning_lengths": HandbookEntry(
        "lengths of neurons that follow the step direction",
        "new",
        "theory/turning.md#lengths-that-follow-the-step",
        NOT_IN_SOURCE,
        "l_u: half the slope of ‖w_i‖²/s_u² in w_i·b̂; μ_2 = E[(Z² − 1)σ(t)]; k = w_i·ŵ_i at an eigenvalue of S; shown "
        "for a step on the labels, where ψZ/(E_u[C Q α²]) is the mean of T over a share of the spectrum",
        ("theory.dressed.direction_forms: lengths_along",),
        statements.leaning_lengths,
        _lean_example,
        setting=CASE,
    ),
    "input_norm": HandbookEntry(
        "the norm of the inputs, after any step",
        "new",
        "theory/dressed.md#the-norm-of-the-inputs",
        NOT_IN_SOURCE,
        "‖x‖²/d − 1 = (h² − 1)/d + e√(2/d); μ_2 = E[(Z² − 1)σ(t)] = lχ, of one shape here; y_⊥ = E[y(g² − 1)|h], g as "
        'in the labels; e has no part along β⋆ and c; not in method="isotropic"',
        (
            "theory.dressed.accuracy: untrained_shift",
            "theory.dressed.neurons: network_after",
            "theory.dressed.direction_forms: directions_of",
            "theory.dressed.forms: forms_of",
            "theory.dressed.forms: label_form",
        ),
        statements.input_norm,
        _input_norm_example,
        setting=CASE,
    ),
    "own_output": HandbookEntry(
        "a neuron's own output in the residual",
        "new",
        "theory/dressed.md#a-neurons-own-output",
        NOT_IN_SOURCE,
        'gradient="residual"; m = E[Zσ(σ\' − c_1)], shown for σ = c_1H_1 + c_2H_2 + c_3H_3; not in method="isotropic"',
        ("theory.dressed.nodes_of_kinds: own_output", "theory.dressed.neurons: network_after"),
        statements.own_output,
        _own_output_example,
        setting=CASE,
    ),
    "leave_one_out": HandbookEntry(
        "losses after a step of any size",
        "new",
        "theory/dressed.md#the-losses",
        NOT_IN_SOURCE,
        f"{_ANY}; ς is that of ε = 0",
        ("theory.dressed.forms: losses", "theory.dressed.fixed_point: with_slopes"),
        Typed(
            r"L_{\mathrm{tr}} = \lambda \, \tilde{y}^\top R \tilde{y}, \qquad L_{\mathrm{te}} = -\frac{d}{d "
            r"\varepsilon} "
            r"\tilde{y}^\top R \tilde{y} \, \Big|_{\lambda(h) = \lambda + \varepsilon \varsigma(h)^2}",
            "the code has the number of a whole quadratic form, and its derivative",
        ),
        _losses_example,
        setting=CASE,
    ),
    "dressed_outliers": HandbookEntry(
        "outliers after a step of any size",
        "new",
        "theory/dressed.md#outliers",
        NOT_IN_SOURCE,
        "det Mid(λ = −z) = 0, the letters as in the mean part; z above the bulk, where the fixed point at λ = −z "
        "has a real solution with ς < 0",
        ("theory.dressed.outliers: continued", "theory.dressed.outliers: dressed_outliers"),
        statements.outliers,
        _outlier_example,
        setting=CASE,
    ),
}
