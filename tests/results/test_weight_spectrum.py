"""tc.weight_spectrum(): sizes, results, notes and refusals."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.results.quantities import OVERLAPS
from theorycalc.theory.weights import left_overlap, outlier_square, right_overlap

PROBLEM = tc.Problem("relu", "H1 + H2/sqrt(2)", n=600, d=300, N=450, ridge="1/10", noise="1/2")


def test_before_a_step_it_needs_no_sizes():
    found = tc.weight_spectrum(tc.Problem("relu", "H1", "1/2", "1/4", 1))
    assert found.edges[0] == pytest.approx((1, 3))
    assert (found.atom, found.mean, found.step, found.outlier) == (0.75, 1, None, None)
    assert found.rows == tc.weight_spectrum(tc.Problem("relu", "H1", "1/2", "1/4", 5)).rows
    assert found.notes == ()


def test_sizes_and_ratios_are_the_same_network():
    ratios = tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2")
    one, other = tc.weight_spectrum(PROBLEM, eta=8), tc.weight_spectrum(ratios, n=600, eta=8)
    assert one == other
    assert tc.weight_spectrum(PROBLEM, alpha=math.log(8) / math.log(600)).outlier == pytest.approx(one.outlier)


@pytest.mark.checks("weight_outlier")
def test_leading_order_is_the_closed_form():
    found = tc.weight_spectrum(PROBLEM, eta=8, gradient="labels", method="pencil")
    kappa = 1 + 0.5 * (2 + 0.25)
    strength = 0.25 * 64 * kappa
    assert found.outlier**2 == pytest.approx(outlier_square(strength, 1.5))
    assert found.overlap_a == pytest.approx(left_overlap(strength, 1.5))
    assert found.overlap_direction == pytest.approx(right_overlap(strength, 1.5))
    assert found.overlap_teacher == pytest.approx(right_overlap(strength, 1.5) / kappa)
    assert found.edges == tc.weight_spectrum(PROBLEM).edges
    residual = tc.weight_spectrum(PROBLEM, eta=8, method="pencil")
    assert residual.outlier > found.outlier  # κ̃ > κ


@pytest.mark.checks("weight_outlier", "weights_outlier", "weights_edges")
@pytest.mark.parametrize("method", ["pencil", "isotropic"])
def test_the_outlier_leaves_the_bulk_at_its_threshold(method):
    """ϑ⁴ = c, of rows that a wide network's step does not lengthen."""
    wide = tc.Problem("relu", "H1 + H2/sqrt(2)", n=2 * 10**12, d=10**12, N=15 * 10**11, ridge="1/10", noise="1/2")
    eta = math.sqrt(math.sqrt(1.5) / (0.25 * (1 + 0.5 * 2.25)))
    below, above = (
        tc.weight_spectrum(wide, eta=eta * factor, gradient="labels", method=method) for factor in (0.999, 1.001)
    )
    assert below.outlier is None
    assert above.outlier == pytest.approx(above.edges[0][1], rel=1e-4)
    assert above.outlier > above.edges[0][1]
    assert 0 < above.overlap_a < 0.01


def test_leading_order_needs_moments_only():
    moments = tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1"], "1/2", "2/3", 1)
    assert tc.weight_spectrum(moments, n=100, eta=20, method="pencil").outlier > 2
    with pytest.raises(tc.TheoryError):
        tc.weight_spectrum(moments, n=100, eta=20)


def test_the_result_has_the_layout_of_all():
    found = tc.weight_spectrum(PROBLEM, eta=8)
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["kind"], data["inputs"]["method"], data["mean"]) == ("weights", "isotropic", found.mean)
    rows = {row["kind"]: row for row in data["rows"]}
    assert list(rows) == ["bulk", "zero", "outlier"]
    assert (rows["bulk"]["low"], rows["bulk"]["high"]) == found.edges[0]
    assert rows["outlier"]["low"] == found.outlier
    assert [rows["outlier"][name] for name in OVERLAPS] == [getattr(found, name) for name in OVERLAPS]
    assert rows["zero"]["share"] == found.atom == pytest.approx(1 / 3)
    assert len(found.to_dataframe()) == 3
    assert f"{found.outlier:.6g}" in repr(found)
    assert "<table" in found._repr_html_()
    none = tc.weight_spectrum(PROBLEM, eta=1)
    assert none.outlier is None
    assert none.overlap_teacher is None
    assert "the step drives none out" in repr(none)


@pytest.mark.slow
def test_several_steps_are_followed_and_may_have_more_outliers():
    three = replace(PROBLEM, steps=3)
    found = tc.weight_spectrum(three, eta=12, gradient="labels")
    first, second = found.outliers
    assert (first.place, first.overlap_teacher) == (found.outlier, found.overlap_teacher)
    rows = [row for row in found.rows if row["kind"] == "outlier"]
    assert [row["low"] for row in rows] == [first.place, second.place]
    assert rows[1]["overlap_a"] == second.overlap_a
    assert repr(found).startswith("Singular values of the weights W after 3 steps of")
    assert "one step of their sum" not in repr(found)
    assert "of all steps" in " ".join(found.notes)
    sigma = np.linspace(*found.edges[0], 2001)
    assert np.trapezoid(found.density(sigma), sigma) + found.atom == pytest.approx(1, abs=2e-3)
    assert np.trapezoid(found.density(sigma) * sigma**2, sigma) == pytest.approx(found.mean, rel=1e-2)  # a tail is cut
    summed = tc.weight_spectrum(three, eta=12, gradient="labels", method="pencil")
    assert len(summed.outliers) == 1
    assert "one step of their sum" in repr(summed)
    scaled = tc.weight_spectrum(replace(three, first_scale=2), eta=12, gradient="labels")
    assert scaled.edges[0][0] > 1.9 * found.edges[0][0]


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"biases": {-1: "1/2", 1: "1/2"}, "intercept": True}, {"second_layer": "uniform"}])
def test_densities_after_several_steps_of_other_networks(options):
    found = tc.weight_spectrum(replace(PROBLEM, steps=2, **options), eta=10, gradient="labels")
    sigma = np.linspace(*found.edges[0], 2001)
    assert np.trapezoid(found.density(sigma), sigma) + found.atom == pytest.approx(1, abs=2e-3)


def test_the_density_is_zero_outside_and_of_the_shape_given():
    found = tc.weight_spectrum(PROBLEM, eta=8)
    low, high = found.edges[0]
    assert np.array_equal(found.density([[-1, 0], [low / 2, 2 * high]]), np.zeros((2, 2)))
    assert isinstance(found.density(1), float)
    assert found.density(1) > 0


@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_a_linear_activation_leaves_the_bulk_as_it_is(gradient):
    """Its gradient is of rank one: no row is lengthened, and none pulled back beside the step."""
    found = tc.weight_spectrum(tc.Problem("x", "H1", "1/2", "2/3", 1), n=900, eta=30, gradient=gradient)
    before = tc.weight_spectrum(tc.Problem("x", "H1", "1/2", "2/3", 1))
    assert found.edges[0] == pytest.approx(before.edges[0], rel=1e-9)
    assert found.density(1) == pytest.approx(before.density(1), rel=1e-9)


def test_notes_say_what_is_neglected():
    def notes(eta, **options):
        return " ".join(tc.weight_spectrum(tc.Problem("relu", "H1", 1, 1, 1, **options), n=100, eta=eta).notes)

    assert "no sharp edge" in notes(1)
    assert "no sharp edge" not in notes(1, second_layer="sign")
    assert "turns all neurons alike" in notes(1, second_layer="constant")
    assert "η²/N = 1: " in notes(10, second_layer="sign")
    assert notes(0) == ""
    odd = tc.Problem("erf", "H1", 1, 1, 1, second_layer="constant")
    assert tc.weight_spectrum(odd, n=100, eta=1).notes == ()


@pytest.mark.parametrize(
    ("call", "error", "argument", "message"),
    [
        (lambda: tc.weight_spectrum("relu"), tc.ArgumentError, "problem", "Problem"),
        (lambda: tc.weight_spectrum(PROBLEM, eta=-1), tc.DomainError, "eta", "must not be negative"),
        (lambda: tc.weight_spectrum(PROBLEM, eta=1, alpha=1), tc.ArgumentError, "alpha", "not both"),
        (lambda: tc.weight_spectrum(PROBLEM, eta="many"), tc.TheoryError, "eta", "many"),
        (
            lambda: tc.weight_spectrum(PROBLEM, eta=1, method="dressed"),
            tc.DomainError,
            "method",
            "'isotropic', 'pencil'",
        ),
        (lambda: tc.weight_spectrum(PROBLEM, eta=1, gradient="mine"), tc.DomainError, "gradient", "mine"),
        (lambda: tc.weight_spectrum(PROBLEM, eta=1e13), tc.DomainError, "eta", "beyond 1e"),
        (lambda: tc.weight_spectrum(PROBLEM, alpha="4"), tc.PrecisionError, "alpha", "no digits of the bulk"),
        (lambda: tc.weight_spectrum(tc.Problem("relu", "H1", 1, 1, 1), eta=1), tc.ArgumentError, "eta", "needs n="),
        (
            lambda: tc.weight_spectrum(tc.Problem("relu", "H1", 1, 1, 1), n=9, d=5, eta=1),
            tc.DomainError,
            "d",
            "contrad",
        ),
        (
            lambda: tc.weight_spectrum(tc.Problem("sign", "H1", 1, 1, 1), n=9, eta=1),
            tc.DomainError,
            "activation",
            "slope",
        ),
        (lambda: tc.weight_spectrum(PROBLEM).density("one"), tc.DomainError, "sigma", "not a real number"),
        (lambda: tc.weight_spectrum(PROBLEM).density([1, math.nan]), tc.DomainError, "sigma", r"sigma\[1\]=nan"),
        (
            lambda: tc.weight_spectrum(tc.Problem("relu", "H0", 1, 1, 1), n=9, eta=1, gradient="labels"),
            tc.DomainError,
            "teacher",
            "no direction",
        ),
    ],
)
def test_refusals(call, error, argument, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert caught.value.argument == argument
