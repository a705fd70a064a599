"""Networks of finite size: the cost of features, neurons of different lengths, the scatter of one draw.

See docs/theory/finite_size.md and docs/theory/turning.md.
"""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, lines, named
from docs._handbook.stand_ins import symbols, tidy
from theorycalc.results.finite_step import step
from theorycalc.symbolic.symbols import lam
from theorycalc.theory.dressed.finite_size import LeftOut, cost, rise, scatter
from theorycalc.theory.dressed.lengths import ResidualMoments, SlopeMoments, length_parts
from theorycalc.theory.finite_losses import FittedSizes, FixedPlace, FunctionMoments, NeuronMoments, log_det

_f, _f_slope, _k, _n, _N, _s, _s_slope, _theta, _theta_slope = map(
    named, ("f", "f'", "k", "n", "N", "s", "s'", r"\theta", r"\theta'")
)


def _feature_cost() -> str:
    fitted = cost(_k, lam * _f, -(lam**2) * _f_slope, _s, _theta, lam, _n, _N)
    raised = rise(named("G'"), _k, named(r"L_{\mathrm{te}}"), _s, _s_slope, _theta, _theta_slope, _n)
    return lines(("G", sympy.expand(fitted)), (r"\delta L_{\mathrm{te}}", raised))


def _lengths() -> str:
    g, z = "g", "Z"
    means = rf"\mathrm{{Var}}({g})", rf"\mathrm{{Var}}({z}{g})", rf"\mathrm{{Cov}}({z}{g}, {g}^2)"
    more = rf"\mathrm{{Var}}({g}^2)", rf"\mathbb{{E}}[{z}^2{g}]", rf"\mathbb{{E}}[{z}{g}^2]"
    slope = SlopeMoments(*map(named, (*means, *more, rf"\mathbb{{E}}[({z}^2-1){g}^2]")))
    second, third, fourth = (named(rf"\mathbb{{E}} r^{p}") for p in (2, 3, 4))
    r = ResidualMoments(second, third, fourth, [named(r"\mathbb{E}[rx]")], [named(r"\mathbb{E}[r^2x]")])
    parts = length_parts(named("u"), named("k_u"), named(r"\phi_0"), slope, r)
    names = ("points", "pairs", "beside", "rows")
    rows = [(rf"\ell_{{\mathrm{{{name}}}}}", part) for name, part in zip(names, parts[:4], strict=True)]
    total = sympy.Add(*(named(name) for name, _ in rows)) / (2 * named("s_u") ** 4)
    return lines((r"\ell_u", total), *rows, (r"\mathrm{lean}", parts.lean))


def _spread() -> str:
    a, b, m, m_b, v, v_b, mean = (named(text) for text in ("a", "a'", "m", "m'", "v", "v'", r" \mathbb{E}"))
    left = [LeftOut(symbols([[[one]]]), symbols([other])) for one, other in ((m, v), (m_b, v_b))]
    found = scatter([symbols([a]), symbols([b])], left, symbols([named("C")]), symbols([[mean]]))
    return lines((r"\mathrm{Var}(a e^2 - a' e'^2)", tidy(found)))


def _length_example() -> dict[str, Any]:
    square = SlopeMoments(1, 2, 2, 2, 0, 0, 2)
    return {
        "the parts for σ = Z²/2, r ~ N(0, 1), u = k_u = φ₀ = 1": tuple(
            length_parts(1, 1, 1, square, ResidualMoments(1, 0, 3, [0], [0]))
        )
    }


def _losses() -> str:
    letters = ("c_1", "c_2", "c_3", r"c_{>1}^2", r"\omega", "d", "q", "p", "g", "k")
    c_1, c_2, c_3, rest, omega, d, q, p, g, k = map(named, letters)
    four, three, two = (
        named(rf"\kappa({text})")
        for text in (r"\sigma,\sigma,\sigma,\sigma", r"\sigma,\sigma,\sigma,Z", r"\sigma,\sigma,Z,Z")
    )
    own = FunctionMoments(c_1**2, rest, 2 * c_2**2, c_2**2, c_1 * c_3, omega)
    neurons = NeuronMoments(own, c_1, c_3**2, (four, three, two, 6 * c_3))
    at = FixedPlace(q, p / _N, g, c_1**2 * p, k, 0)
    found = log_det(FittedSizes(_n, d, _N, False, False), neurons, FunctionMoments(*[0] * 6), at, sympy.log)
    return lines(*((rf"\ell_{i}", term) for i, term in enumerate(sympy.Add.make_args(found), start=1)))


def _losses_example() -> dict[str, Any]:
    found, limit = (step(PROBLEM, n=200, eta=0, method=method) for method in ("dressed", "pencil"))
    return {
        f"test loss before the step, n = 200 and n → ∞ ({PROBLEM_TEXT})": (
            float(found.test_loss_initial),
            float(limit.test_loss_initial),
        )
    }


def _spread_example() -> dict[str, Any]:
    spread = step(PROBLEM, n=1000, alpha="3/10").spread
    return {
        f"of test loss and test gain, n = 1000, η = n^{{3/10}} ({PROBLEM_TEXT})": (
            float(spread.test_loss),
            float(spread.test_gain),
        )
    }


FINITE_SIZE = {
    "feature_cost": HandbookEntry(
        "cost of the features that the step taught, of order 1/n",
        "new",
        "theory/finite_size.md#the-cost-of-a-feature",
        NOT_IN_SOURCE,
        "ỹᵀRỹ falls by G, and the test loss rises by δL_te; f = ỹᵀRỹ after the fit, s = tr R, θ = E_u Q; k features in "
        "force, of which a strong function of h counts as 1, h itself as m_2/m_1, a weak one as its strength",
        (
            "theory.dressed.finite_size: cost",
            "theory.dressed.finite_size: rise",
            "theory.dressed.finite_size: features_in_force",
        ),
        _feature_cost,
        lambda: {
            "G at k = 1, f = 2, f' = −1, s = θ = 1/2, λ = 1, n = 100, N = 50": float(
                cost(1.0, 2.0, 1.0, 0.5, 0.5, 1.0, 100.0, 50.0)  # type: ignore[arg-type]
            )
        },
    ),
    "finite_losses": HandbookEntry(
        "terms of order 1/n of losses before the step",
        "new",
        "theory/finite_size.md#losses-before-the-step",
        NOT_IN_SOURCE,
        "terms ℓ_i of order 1 of E log det(FFᵀ + nλ), of which ỹᵀRỹ is the slope in the strength of the labels as one "
        "more neuron; q = tr R, p = Nθ, k = m_2/m_1, g = R_jj; ω = ½E[(Z² − 1)σ²], κ joint cumulants of σ(Z) "
        "and Z; Gaussian rows and an intercept have further terms",
        (
            "theory.finite_losses: log_det",
            "theory.finite_losses: entry_cumulant",
            "theory.finite_losses: shifts",
            "theory.finite_losses: point_moments",
            "theory.finite_losses: neuron_moments",
        ),
        _losses,
        _losses_example,
    ),
    "lengths": HandbookEntry(
        "neurons of different lengths, a feature of its own",
        "new",
        "theory/turning.md#neurons-of-different-lengths",
        NOT_IN_SOURCE,
        "ℓ_u = (d/2) Var‖w_i‖²/s_u⁴ over neurons of one u, but for lean·(w_i·b), which follows the step direction b; "
        "ℓ_rows is for Gaussian rows only; g = σ'(Z) − c_1, r the residual; E[rx] and E[r²x] have an entry for each "
        "direction of which r knows",
        ("theory.dressed.lengths: length_parts", "theory.dressed.lengths: lengths_of"),
        _lengths,
        _length_example,
    ),
    "spread": HandbookEntry(
        "scatter of one draw",
        "new",
        "theory/finite_size.md#one-draw",
        f"{NOT_IN_SOURCE}; gains have fitted numbers",
        "losses are means of a e² over points, e ~ N(m, v) the residual of a point left out before the step, e' after "
        "it, C their covariance; E is the mean over points, and the variance of a mean over n of them is 1/n of "
        "this",
        ("theory.dressed.finite_size: scatter", "theory.dressed.finite_size: standard_deviations"),
        _spread,
        _spread_example,
    ),
}
