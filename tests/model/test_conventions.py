"""Other conventions: minimisers and steps computed by hand are ours at the translated numbers; and the way back."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.conventions import CONVENTIONS, Loss

PAGE = (Path(__file__).parents[2] / "docs" / "conventions.md").read_text(encoding="utf-8")

n, d, N = 30, 12, 20
rng = np.random.default_rng(0)
F, y = rng.standard_normal((n, N)), rng.standard_normal(n)


def minimiser(features: np.ndarray, fit_weight: float, penalty: float) -> np.ndarray:
    """Fitted values of argmin fit_weight·‖y − features a‖² + penalty·‖a‖²."""
    gram = fit_weight * features.T @ features + penalty * np.eye(N)
    return features @ np.linalg.solve(gram, fit_weight * features.T @ y)


LAM = 0.37
THEIRS = {
    "mean": minimiser(F, 1 / n, LAM),
    "sum": minimiser(F, 1, LAM),
    "half_sum": minimiser(F, 1 / 2, LAM / 2),
    "mean_scaled_features": minimiser(F / np.sqrt(N), 1 / n, LAM),
    "sum_scaled_features": minimiser(F / np.sqrt(N), 1, LAM),
    "mei_montanari": minimiser(F, 1 / n, N / d * LAM),
}


@pytest.mark.checks("ridge_convention")
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_translation(convention):
    ours = float(tc.ridge_from(convention, LAM, n=n, phi=f"{d}/{n}", psi=f"{d}/{N}"))
    assert np.allclose(minimiser(F, 1 / n, ours), THEIRS[convention], rtol=1e-12)


def test_every_convention_is_tested_and_differs():
    assert set(THEIRS) == set(CONVENTIONS)
    assert not np.allclose(THEIRS["sum"], THEIRS["mean"])


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_there_is_a_way_back(convention):
    sizes = {"n": n, "phi": f"{d}/{n}", "psi": f"{d}/{N}"}
    assert tc.conventions.ridge_to(convention, tc.ridge_from(convention, "3/7", **sizes), **sizes) == Fraction(3, 7)


#: The factor of ‖y − f‖² in each loss.
FACTORS = {"mean": 1 / n, "sum": 1, "half_mean": 1 / (2 * n), "half_sum": 1 / 2}


@pytest.mark.parametrize("loss", list(Loss))
def test_steps_on_other_losses(loss):
    """The derivative of the loss as it is written, times lr, is ours times η."""
    w, lr = rng.standard_normal(N), 0.03
    theirs = FACTORS[loss] * -2 * F.T @ (y - F @ w)
    ours = -F.T @ (y - F @ w) / n  # of (1/2n)‖y − Fw‖²
    eta = tc.conventions.eta_from(loss, lr, n=n)
    assert np.allclose(lr * theirs, eta * ours, rtol=1e-12)
    assert tc.conventions.lr_from(loss, tc.conventions.eta_from(loss, "3/100", n=n), n=n) == Fraction(3, 100)


@pytest.mark.parametrize("loss", list(Loss))
def test_weight_decay(loss):
    """Gradient plus weight decay vanishes at our minimiser."""
    decay = 0.37
    lam = tc.conventions.ridge_from_decay(loss, decay, n=n)
    a = np.linalg.solve(F.T @ F / n + lam * np.eye(N), F.T @ y / n)
    assert np.allclose(FACTORS[loss] * -2 * F.T @ (y - F @ a) + decay * a, 0, atol=1e-12)
    assert tc.conventions.decay_from(loss, tc.conventions.ridge_from_decay(loss, "1/7", n=n), n=n) == Fraction(1, 7)


@pytest.mark.parametrize(
    ("call", "argument", "words"),
    [
        (lambda: tc.conventions.eta_from("sums", 1), "loss", "did you mean 'sum'"),
        (lambda: tc.conventions.eta_from("MSELoss", 5), "loss", r"'mean' \(mean of \(y − f\)², as torch's MSELoss"),
        (lambda: tc.ridge_from("sklearn", 9, n=900), "convention", "'sum' \\(scikit-learn's Ridge: .*'half_sum' \\(½"),
        (lambda: tc.ridge_to("Ridge", 9, n=900), "convention", "'mei_montanari' \\(Mei–Montanari"),
        (lambda: tc.conventions.eta_from("sum", 1), "n", "size as n="),
        (lambda: tc.conventions.eta_from("mean", -1), "lr", "must not be negative"),
        (lambda: tc.conventions.eta_from("mean", 1e308), "lr", "beyond the range of float64"),
        (lambda: tc.conventions.lr_from("half_sum", 1, n=0), "n", "positive whole number"),
        (lambda: tc.conventions.decay_from("mean", "x"), "ridge", "is not a number"),
        (lambda: tc.conventions.ridge_to("mei_montanari", 1), "psi", "needs psi"),
    ],
)
def test_refusals(call, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        call()
    assert caught.value.argument == argument


def test_the_page_has_every_loss():
    """Its row says η and λ."""
    rows = {"mean": "2", "sum": "2n", "half_mean": "", "half_sum": "n"}
    for loss in Loss:
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{loss}` |"))
        eta = tc.conventions.eta_from(loss, 1, n=7)
        assert eta == (int(rows[loss].strip("n") or 1) * (7 if "n" in rows[loss] else 1))
        assert f"| ${rows[loss]}" in row
        decay = tc.conventions.ridge_from_decay(loss, 1, n=7)
        shown = row.split(" | ")[-1].rstrip(" |")
        said = {
            "weight_decay/2": Fraction(1, 2),
            "weight_decay/(2n)": Fraction(1, 14),
            "weight_decay/n": Fraction(1, 7),
        }
        assert said.get(shown, Fraction(1)) == decay


@pytest.mark.parametrize(
    "call",
    [
        lambda: tc.conventions.ridge_from("half_sum", 10**400, n=1e308),
        lambda: tc.conventions.ridge_to("sum_scaled_features", 10**400, phi=0.1, psi=100),
        lambda: tc.conventions.eta_from("sum", 0.1, n=10**400),
    ],
)
def test_an_exact_number_beyond_float64_beside_a_float_is_refused(call):
    with pytest.raises(tc.TheoryError, match="beyond the range of float64; give exact numbers"):
        call()


def test_completion_offers_what_is_public():
    assert dir(tc.conventions) == sorted(tc.conventions.__all__)
