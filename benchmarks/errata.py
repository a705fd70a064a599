"""The tables of docs/errata.md, by simulation: ``python -m benchmarks.errata [name …]``.

Each table holds a printed statement, ours and what simulated matrices show, with standard errors.  Tables are written
between their markers in the page; names choose some of them.

Rows "n → ∞" are extrapolated from two sizes only, and assume that what is left falls like 1/n.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import factorial, sqrt

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, beside, table, write_between
from tests.helpers.matrices import Network, cubic, first_layer, mean_and_error, strong_spikes, unit
from theorycalc.functions.algebra import xi
from theorycalc.model.requirements import functions_of
from theorycalc.theory.case import lengthening
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.traces import constant_spread

PAGE = DOCS / "errata.md"
SEED = 20240531
CUBIC_TEXT, SETTING_2_TEXT = "H1 + H2/2 + 3*H3/10", "H1 + H2/sqrt(2)"
TEACHER_3 = "H1 + H2/2 + H3/3"
SIZE = 600  # n where a table has one; d and N follow from φ and ψ
DRAWS = 48
RIDGES = ("1/10", "1", "10", "100")
CONSTANT_SIZES = {400: 120, 800: 60, 1600: 24}  # n, and how many draws
MISSING_SIZES = {300: 100, 600: 50}
NORM_SIZES = (250, 500, 1000, 2000)
NORM_DRAWS = 10
SECOND_SPIKE_SIZES = (400, 800, 1600)
SECOND_SPIKE_CASES = (  # name, σ, teacher, degrees of the fit in h
    ("cubic σ", CUBIC_TEXT, SETTING_2_TEXT, (2, 4)),
    ("tanh(x + 1)", "tanh(x + 1)", "softplus(2*x)", (4,)),
)
SECOND_SPIKE_ALPHA = 0.3


def judged(name: str, mean: float, error: float, printed: float, ours: float) -> list[str]:
    """Return a row: simulated, printed with its z, and ours with its z."""
    theirs, seen, far = beside(printed, mean, error)
    own, _, near = beside(ours, mean, error)
    return [name, seen, theirs, far, own, near]


HEAD = " | simulated | printed | z | here | z"


def losses_of(rng, activation: str, teacher: str, spikes, ridges, n: int, draws: int, tau: float = 0.0):
    """Return the draws of the losses with strong spikes, over (draw, ridge, set of powers, train or test)."""
    functions = functions_of(case(activation, teacher, "1"))
    network = Network(n, *shape(n), functions.activation, functions.teacher, noise=0.5)
    return np.array([strong_spikes(rng, network, spikes, ridges, tau) for _ in range(draws)])


def shape(n: int) -> tuple[int, int]:
    """Return d and N."""
    return n // 2, 3 * n // 4


def case(activation, teacher: str, ridge: str) -> tc.Problem:
    """Return the problem of that shape."""
    return tc.Problem(activation, teacher, phi="1/2", psi="2/3", ridge=ridge, noise="1/2")


def doubled(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return mean and error with the part that falls like 1/n removed, from the last two sizes, n and 2n."""
    small, large = found[-2:]
    return 2 * large[0] - small[0], sqrt(4 * large[1] ** 2 + small[1] ** 2)


def slides_gain(rng) -> list[str]:
    """(a) The slides' Λ_1, Λ_2 lack φ/(ψm_1²)."""
    ridges = [float(Fraction(ridge)) for ridge in RIDGES]
    draws = losses_of(rng, CUBIC_TEXT, SETTING_2_TEXT, ((), (1,), (1, 2)), ridges, SIZE, DRAWS)
    rows = []
    for i, ridge in enumerate(RIDGES):
        problem = case(CUBIC_TEXT, SETTING_2_TEXT, ridge)
        before = tc.predict(problem, ell=1).test_loss_initial
        expected, seen, z = beside(before, *mean_and_error(draws[:, i, 0, 1]))
        rows.append([f"λ = {ridge}: L_te(F₀)", seen, "", "", expected, z])
        for ell in (1, 2):
            mean, error = mean_and_error(draws[:, i, 0, 1] - draws[:, i, ell, 1])
            printed = tc.predict(problem, ell=ell, as_printed=True).test_gain
            rows.append(judged(f"λ = {ridge}: Λ_{ell}", mean, error, printed, tc.predict(problem, ell=ell).test_gain))
    return table(HEAD, rows)


def transposed_reading(problem: tc.Problem, ell: int) -> float:
    """Δ_ℓ with ξ's indices exchanged in the outer sum, typed independently: another reading of the printed sums."""
    found = tc.predict(problem, ell=ell)
    ratio = float(problem.psi) / float(problem.phi)
    s, linear = ratio * found.m1, ratio * found.m2
    weight = np.array([linear if k == 1 else factorial(k) * s for k in range(ell + 1)], dtype=float)
    change = np.array([[xi(p, k) for k in range(ell + 1)] for p in range(1, ell + 1)], dtype=float)
    c_star = np.array([float(c) for c in problem.teacher.coefficients[:ell]])
    q = change[:, 1:].T @ (c_star * weight[1:] * float(found.rho) ** np.arange(1, ell + 1))
    return float(problem.ridge) * q @ np.linalg.solve(change @ np.diag(weight) @ change.T, q)


def sum_indices(rng) -> list[str]:
    """(b) The indices of Δ_ℓ: at ℓ = 3 the two readings differ."""
    draws = losses_of(rng, CUBIC_TEXT, TEACHER_3, ((), (1,), (1, 2), (1, 2, 3)), [0.1], SIZE, DRAWS)[:, 0, :, 0]
    problem = case(CUBIC_TEXT, TEACHER_3, "1/10")
    rows = []
    for ell in (1, 2, 3):
        mean, error = mean_and_error(draws[:, 0] - draws[:, ell])
        ours = tc.predict(problem, ell=ell, form="matrix").train_gain
        rows.append(judged(f"Δ_{ell}", mean, error, transposed_reading(problem, ell), ours))
    return table(" | simulated | ξ transposed | z | as read here | z", rows)


def constant_feature(rng) -> list[str]:
    """(c) 1ᵀR₀1 for both first layers; at finite n it is off by about 1/n, which doubling n removes."""
    problem = case(CUBIC_TEXT, SETTING_2_TEXT, "1/10")
    phi, psi, ridge = float(problem.phi), float(problem.psi), float(problem.ridge)
    traces = tc.traces(phi=phi, psi=psi, ridge=ridge, c1=1.0, c_rest=float(problem.activation.c_rest))
    s = psi / phi * traces.m1
    zeta = constant_spread(0.5, s * (1 - psi / phi * (1 - ridge * s)) / psi)
    rows = []
    for name, scale, ours in (("sphere", False, s), ("Gaussian", True, s / (1 + zeta))):
        found = []
        for n, draws in CONSTANT_SIZES.items():
            found.append(mean_and_error([_constant_form(rng, n, ridge, scale) for _ in range(draws)]))
            rows.append(judged(f"{name}, n = {n}", *found[-1], s, ours))
        rows.append(judged(f"**{name}, n → ∞**", *doubled(found), s, ours))
    return table("rows of W₀ | simulated 1ᵀR₀1 | s, on the sphere | z | here | z", rows)


def _constant_form(rng, n: int, ridge: float, gaussian: bool) -> float:
    d, N = shape(n)
    W = rng.standard_normal((N, d)) / sqrt(d) if gaussian else first_layer(rng, N, d)
    F = cubic(rng.standard_normal((n, d)) @ W.T)
    return float(np.sum(np.linalg.solve(F @ F.T + ridge * n * np.eye(n), np.ones(n))))


def gradient(X, r, W, a, slope):
    """The negative gradient of the loss in W, with residuals r."""
    return ((slope(X @ W.T) * a).T * r) @ X / len(X)


def initial_output(rng) -> list[str]:
    """(d) The rank-one part of the gradient is along Xᵀ(y − f₀)/n."""
    functions = functions_of(tc.Problem("tanh(x + 1)", SETTING_2_TEXT, 1, 1, 1))
    c1 = float(tc.activation("tanh(x + 1)").c1)
    rows, logs = [], []
    for n in NORM_SIZES:
        d, N = shape(n)
        found = []
        for _ in range(NORM_DRAWS):
            X, W, a = rng.standard_normal((n, d)), first_layer(rng, N, d), rng.standard_normal(N) / sqrt(N)
            y = functions.teacher(X[:, 0]) + 0.5 * rng.standard_normal(n)  # β⋆ is the first axis: W is isotropic
            r = y - functions.activation(X @ W.T) @ a
            G = gradient(X, r, W, a, functions.slope)
            rests = (G - c1 * np.outer(a, X.T @ along / n) for along in (y, r))
            found.append([float(np.sqrt(np.linalg.eigvalsh(rest.T @ rest)[-1])) for rest in rests])
        mean, error = mean_and_error(found)
        logs.append(np.log(mean))
        rows.append([str(n), *(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, error, strict=True))])
    slopes = np.polyfit(np.log(NORM_SIZES), np.array(logs), 1)[0]
    rows.append(["growth exponent", *(f"{slope:+.2f}" for slope in slopes)])
    return table("n | ‖G − c_1aβᵀ‖ | ‖G − c_1aβ̃ᵀ‖", rows)


def missing(rng, activation: str, spikes: dict[int, tuple[int, ...]]) -> list[str]:
    """(e) Spikes that are not there gain nothing; ``spikes`` says which there are in each window."""
    problem = case(activation, TEACHER_3, "1/10")
    full = tc.Activation.from_moments(problem.activation.c1, problem.activation.c_rest)  # all c_k assumed present
    sets = ((), *spikes.values())
    draws = [losses_of(rng, activation, TEACHER_3, sets, [0.1], n, count)[:, 0] for n, count in MISSING_SIZES.items()]
    rows = []
    for i, (ell, K) in enumerate(spikes.items(), start=1):
        ours, printed = tc.predict(problem, ell=ell), tc.predict(case(full, TEACHER_3, "1/10"), ell=ell)
        assert ours.spikes == K
        for part, (letter, name) in enumerate((("Δ", "train_gain"), ("Λ", "test_gain"))):
            theirs, own = getattr(printed, name), getattr(ours, name)
            found = [mean_and_error(sample[:, 0, part] - sample[:, i, part]) for sample in draws]
            for n, seen in zip(MISSING_SIZES, found, strict=True):
                rows.append(judged(f"{letter}_{ell}, n = {n}", *seen, theirs, own))
            rows.append(judged(f"**{letter}_{ell}, n → ∞**", *doubled(found), theirs, own))
    return table(f"{activation} | simulated | all k ≤ ℓ | z | here | z", rows)


def second_spike(rng) -> list[str]:
    """(f) The second spike is h² + τ: the constant beside h² in the contribution of the step along a^{∘2}.

    The second pair of functions meets every condition of the printed theorem.
    """
    rows = []
    for name, activation, teacher, degrees in SECOND_SPIKE_CASES:
        problem = case(activation, teacher, "1/10")
        functions, step, tau = functions_of(problem), step_of(problem, 1, "labels"), tau_of(problem)
        sizes = SECOND_SPIKE_SIZES
        draws = {n: [_constants(*_second_spike(rng, functions, n), degrees) for _ in range(DRAWS)] for n in sizes}
        for i, degree in enumerate(degrees):
            for n in sizes:
                mean, error = mean_and_error(np.array(draws[n])[:, i])
                row = judged(f"{name}, fit of degree {degree}, n = {n}", float(mean), float(error), 0.0, tau)
                rows.append([*row, f"{_constants(*_mean_neuron(functions, step, n), [degree])[0]:.4f}"])
    return table(" | simulated constant | printed | z | τ | z | τ fitted at this n", rows)


def _second_spike(rng, functions, n: int):
    """Return h at fresh points, the contribution of a step there along a^{∘2}, and equal weights."""
    d, N = shape(n)
    beta_star = unit(rng, d)
    W, a = first_layer(rng, N, d), rng.standard_normal(N) / sqrt(N)
    X, y = Network(n, d, N, functions.activation, functions.teacher, 0.5).batch(rng, n, beta_star)
    moved = W + n**SECOND_SPIKE_ALPHA * gradient(X, y, W, a, functions.slope)
    beta = X.T @ y / n
    X2 = rng.standard_normal((n, d))
    h = X2 @ beta / np.linalg.norm(beta)
    return h, (functions.activation(X2 @ moved.T) - functions.activation(X2 @ W.T)) @ a**2, np.ones(n)


def _mean_neuron(functions, step, n: int):
    """Return the same from the mean over neurons of any length that the step gives them, with nothing random."""
    x, weights = np.polynomial.hermite_e.hermegauss(60)
    u = (n**SECOND_SPIKE_ALPHA / sqrt(shape(n)[1]) * x)[:, None, None]
    seen = np.sqrt(1 + u**2 * step.spread) * x + u * step.case.c1 * sqrt(step.case.kappa) * x[:, None]
    return x, (weights * x**2) @ (functions.activation(seen) @ weights), weights


def _constants(h, along, weights, degrees: Sequence[int]) -> list[float]:
    """Return b_0/b_2 of the fit Σb_kh^k, for each degree."""
    found = []
    for degree in degrees:
        powers = np.vander(h, degree + 1, increasing=True) * np.sqrt(weights)[:, None]
        constant, _, square, *_ = np.linalg.lstsq(powers, along * np.sqrt(weights), rcond=None)[0]
        found.append(float(constant / square))
    return found


def second_spike_gain(rng) -> list[str]:
    """(f) The gain of h² + τ beyond h, where the printed spike is h²."""
    problem = case(CUBIC_TEXT, SETTING_2_TEXT, "1/10")
    tau = tau_of(problem)
    draws = losses_of(rng, CUBIC_TEXT, SETTING_2_TEXT, ((1,), (1, 2)), [0.1], SIZE, DRAWS, tau)[:, 0]
    one, two = (tc.predict(problem, ell=ell) for ell in (1, 2))
    literal = tc.predict(problem, ell=2, network="literal", gradient="labels")
    rows = []
    for part, (letter, name) in enumerate((("Δ", "train_gain"), ("Λ", "test_gain"))):
        printed, ours = (getattr(each, name) - getattr(one, name) for each in (two, literal))
        mean, error = mean_and_error(draws[:, 0, part] - draws[:, 1, part])
        rows.append(judged(f"{letter}_2 − {letter}_1", mean, error, printed, ours))
    return table(HEAD, rows)


def tau_of(problem: tc.Problem) -> float:
    """Return the constant beside h² in the second spike."""
    step = step_of(problem, 1, "labels")
    return lengthening(step.spread, step.case.c1, step.case.kappa)


TABLES: dict[str, Callable] = {  # in the order of their seeds
    **{made.__name__: made for made in (slides_gain, sum_indices, constant_feature, initial_output)},
    "odd_activation": partial(missing, activation="erf", spikes={3: (1, 3)}),  # it has no even powers
    "second_spike": second_spike,
    "relu": partial(missing, activation="relu", spikes={3: (1, 2), 4: (1, 2, 4)}),  # no odd ones but the first
    "second_spike_gain": second_spike_gain,
}


def main(names: Sequence[str]) -> None:
    """Simulate the tables that are named, all by default, and write them into the page."""
    if unknown := set(names) - set(TABLES):
        raise SystemExit(f"no table is named {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    for name in names or TABLES:
        made = TABLES[name](np.random.default_rng([SEED, list(TABLES).index(name)]))
        write_between(PAGE, name, made)


if __name__ == "__main__":
    main(sys.argv[1:])
