"""Limits of teachers of several directions, against matrices with strong spikes and the labels' mean given h."""

import math

import numpy as np
import pytest

import theorycalc as tc

SMOOTH = "t1 + t1*t2 + H2(t1 + t2)/4"
KINKED = "relu(t1) + t1*relu(t2) - abs(t1 - t2)/2"


def problem_of(teacher, **options):
    return tc.Problem("tanh(x + 1)", teacher, phi="1/2", psi="2/3", ridge="1/10", noise="3/10", **options)


def strong_spikes(problem, n, draws, seed, highest=2):
    """Return κ, the squared overlap with û and, for ℓ = 1, …, the gains of ridge with h, …, h^ℓ free of a penalty."""
    d, N, tests = n // 2, 3 * n // 4, 4 * n
    activation, teacher = problem.activation.centered(), problem.teacher
    g, r, ridge = teacher.centered_values(), teacher.directions, float(problem.ridge)
    seen = np.array(teacher.seen, dtype=float)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        X, fit, fresh = (rng.standard_normal((count, d)) for count in (n, n, tests))  # β_j are the first axes
        y, z, w = (g(x[:, :r]) + float(problem.noise) * rng.standard_normal(len(x)) for x in (X, fit, fresh))
        beta = X.T @ y / n
        length = np.linalg.norm(beta)
        F, T = activation(fit @ W.T), activation(fresh @ W.T)
        R = np.linalg.inv(F @ F.T + ridge * n * np.eye(n))
        powers = [np.column_stack([(x @ beta / length) ** k for k in range(1, highest + 1)]) for x in (fit, fresh)]
        row = [length**2, (beta[:r] @ seen / length) ** 2]
        before = ridge * z @ R @ z, np.mean((w - T @ (F.T @ (R @ z))) ** 2)
        for ell in range(1, highest + 1):
            H, K = (x[:, :ell] for x in powers)
            b = np.linalg.solve(H.T @ R @ H, H.T @ R @ z)
            left = R @ (z - H @ b)
            row += [before[0] - ridge * z @ left, before[1] - np.mean((w - K @ b - T @ (F.T @ left)) ** 2)]
        found.append(row)
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(draws)


def predicted(problem, highest=2):
    limits = [tc.predict(problem, ell=ell) for ell in range(1, highest + 1)]
    first = limits[0]
    return np.array([first.kappa, first.rho**2, *(x for p in limits for x in (p.train_gain, p.test_gain))])


@pytest.mark.slow
@pytest.mark.parametrize(("teacher", "seed"), [(SMOOTH, 1), (KINKED, 2)])
def test_strong_spikes(teacher, seed):
    """κ, ρ² and the gains of two windows; the same without the energy that the step does not see is rejected."""
    problem = problem_of(teacher)
    mean, error = strong_spikes(problem, 700, 12, seed)
    z = (mean - predicted(problem)) / error
    assert np.all(np.abs(z) < 3.5)
    blind = tc.Teacher.from_moments(problem.teacher.coefficients, float(problem.teacher.seen_energy) * (1 + 1e-12))
    wrong = (mean - predicted(problem_of(blind))) / error
    assert np.max(np.abs(wrong)) > 5


@pytest.mark.parametrize("teacher", [SMOOTH, KINKED])
def test_labels_given_the_projection(teacher):
    """E[y H_k(h)]/k! = c_{û,k}ρ^k for h at an angle to û."""
    known = tc.Teacher.multi(teacher)
    rng = np.random.default_rng(3)
    count, rho = 200_000, 0.8
    t, other = rng.standard_normal((count, 2)), rng.standard_normal(count)
    y = known.centered_values()(t)
    h = rho * t @ np.array(known.seen, dtype=float) + math.sqrt(1 - rho**2) * other
    for k in range(1, 4):
        products = y * np.polynomial.hermite_e.hermeval(h, [0] * k + [1]) / math.factorial(k)
        expected = float(known.coefficients[k - 1]) * rho**k if k <= len(known.coefficients) else 0
        assert abs(products.mean() - expected) < 4 * products.std() / math.sqrt(count)


def test_a_step_of_one_direction_with_noise():
    """E[g | û·t] as the teacher, with E Var(g | û·t) more noise, has the same limits."""
    problem = problem_of("t1 + t2 + t1*t2 + H2(t1)/3")
    teacher = problem.teacher
    along = tc.Teacher(teacher.coefficients)
    noise = math.sqrt(0.09 + float(teacher.unseen_energy))
    single = tc.Problem("tanh(x + 1)", along, phi="1/2", psi="2/3", ridge="1/10", noise=noise)
    for network in ("theorem", "literal"):
        several, one = (tc.predict(case, ell=3, network=network) for case in (problem, single))
        for name in ("kappa", "rho", "train_gain", "test_gain", "train_loss", "test_loss", "train_error"):
            assert getattr(several, name) == pytest.approx(getattr(one, name), rel=1e-12)


def test_a_permutation_of_the_directions_changes_nothing():
    first, second = (
        tc.predict(problem_of(text), ell=2, digits=30)
        for text in ("t1 + 2*t2 + t1*t2 + H2(t3)", "t3 + 2*t1 + t1*t3 + H2(t2)")
    )
    assert str(first.test_gain) == str(second.test_gain)


def test_the_pencil_of_small_steps_is_that_of_one_direction_with_noise():
    several = tc.step(problem_of("t1 + t1*t2"), n=400, alpha="1/10", method="pencil")
    noise = math.sqrt(1.09)
    single = tc.Problem("tanh(x + 1)", "x", phi="1/2", psi="2/3", ridge="1/10", noise=noise)
    assert several.test_gain == pytest.approx(tc.step(single, n=400, alpha="1/10", method="pencil").test_gain)
