"""The answers that the explorer's page gets: the numbers of the library, errors at their fields, code to copy."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import pytest

import theorycalc as tc
from tests.helpers.docs_code import ROOT
from theorycalc.explorer.answers import answer
from theorycalc.explorer.fields import case_of, texts_of
from theorycalc.results.quantities import COMPARED


def test_fields_are_read_exactly():
    case = case_of({"phi": "1/3", "ridge": "1e-3", "alpha": "0.1", "n": "2e3"})
    assert (case.problem.phi, case.problem.ridge, case.alpha, case.n) == (
        Fraction(1, 3), Fraction(1, 1000), Fraction(1, 10), 2000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("activation", "rellu", "did you mean 'relu'"),
        ("activation", "__import__('os')", ""),
        ("teacher", "H1 +", "ends too early"),
        ("phi", "0", "must be positive"),
        ("psi", "one", "write it as 1/10, 0.1 or 1e-3"),
        ("ridge", "-1", "must not be negative"),
        ("noise", "1/0", "divides by zero"),
        ("n", "10.5", "positive whole number"),
        ("n", "1/2", "positive whole number"),
        ("n", "1e400", "up to 10^15"),
        ("alpha", "", "is not a number"),
        ("first_layer", "cube", "choose one of"),
        ("eta", "0", "must be positive here"),
        ("eta", "fast", "is not a number"),
        ("gradient", "included", "choose one of 'residual', 'labels'"),
        ("step_samples", "0", "must be positive"),
        ("phi", "1" * 600, "a field takes 500"),
    ],
)
def test_errors_know_their_field(field, text, words):
    for kind in ("now", "finite"):
        error = answer(kind, {field: text})["error"]
        assert error["field"] == field
        assert words in error["message"]


def test_a_learning_rate_gives_its_exponent():
    case = case_of({"eta": "10", "n": "1000", "alpha": "nothing"})
    assert case.alpha == pytest.approx(1 / 3, rel=1e-15)
    assert case.how == {"n": 1000, "eta": 10, "gradient": "residual"}
    with pytest.raises(tc.DomainError, match="n = 1; take n of 2 or more"):
        case_of({"eta": "10", "n": "1"})


@pytest.mark.slow
def test_a_learning_rate_is_the_step():
    fields = {"eta": "10", "n": "500"}
    problem = case_of(fields).problem
    found = answer("now", fields)
    assert (found["eta"], found["ell"], found["alpha"]) == (10, 3, "0.3705 (η = 10)")
    assert found["limit"]["theorem"]["test_loss"] == tc.predict(problem, ell=3).test_loss
    assert found["weights"]["outliers"][0]["place"] == tc.weight_spectrum(problem, n=500, eta=10).outlier
    assert answer("finite", fields)["test_loss"] == tc.step(problem, n=500, eta=10).test_loss
    assert answer("outliers", fields)["places"] == tc.spectrum(problem, n=500, eta=10).outliers.tolist()
    assert "is on the boundary 1/4" in answer("now", {"eta": "10", "n": "10000"})["no_limit"]


def test_an_activation_without_a_direction_has_no_theory():
    error = answer("now", {"activation": "x**2"})["error"]
    assert error["field"] == "activation"
    assert "c_1 = 0" in error["message"]
    assert "c_1 = 0" in answer("finite", {"activation": "x**2"})["refused"]


def test_the_page_has_no_other_fields():
    with pytest.raises(tc.ArgumentError, match="no field 'rigde'; did you mean 'ridge'"):
        texts_of({"rigde": "1"})
    with pytest.raises(tc.DomainError, match="must be text"):
        texts_of({"phi": 1})


@pytest.mark.slow
def test_numbers_are_the_library_s():
    fields = {"activation": "tanh(x + 1)", "ridge": "1/50", "alpha": "0.2", "n": "500"}
    problem = case_of(fields).problem
    found = answer("now", fields)
    middle = len(found["path"]["ridge"]) // 2
    assert found["ell"] == 1
    for network in ("theorem", "literal"):
        limit, stairs = tc.predict(problem, alpha="0.2", network=network), tc.staircase(problem, 8, network=network)
        shown, steps = found["limit"][network], found["staircase"][network]
        assert {name: shown[name] for name in COMPARED} == {name: getattr(limit, name) for name in COMPARED}
        assert [s["train_gain"] for s in steps["steps"]] == [p.train_gain for p in stairs.predictions]
        assert steps["ceiling"]["test_gain"] == stairs.ceiling.test_gain
        for name in ("train_loss", "test_loss", "test_loss_initial"):
            assert found["path"][network][name][middle] == pytest.approx(getattr(limit, name), rel=1e-12)
    spectrum = tc.spectrum(problem, n=500, alpha="0.2")
    outliers = answer("outliers", fields)
    assert (outliers["places"], outliers["edge"]) == (spectrum.outliers.tolist(), spectrum.edge_after)
    assert found["spectrum"]["edges"] == [list(pair) for pair in spectrum.edges]
    weights = tc.weight_spectrum(problem, n=500, alpha="0.2")
    assert found["weights"]["edges"] == list(weights.edges[0])
    (outlier,) = found["weights"]["outliers"]
    assert (outlier["place"], outlier["overlap_teacher"]) == (weights.outlier, weights.overlap_teacher)
    assert max(found["weights"]["density"]) > 0
    finite = tc.step(problem, n=500, alpha="0.2")
    own = answer("finite", fields)
    assert {name: own[name] for name in COMPARED} == {name: getattr(finite, name) for name in COMPARED}
    curve = answer("curve", fields)
    assert curve["method"] == "dressed"
    place = curve["alpha"].index(0.2)
    assert curve["test_gain"][place] == pytest.approx(float(finite.test_gain), rel=1e-7)


def test_weights_without_an_outlier_or_without_a_step():
    small = answer("now", {"alpha": "-1"})["weights"]
    assert small["outliers"] == []
    assert small["edges"] == pytest.approx(list(tc.weight_spectrum(case_of({}).problem).edges[0]), rel=1e-2)
    assert "slope" in answer("now", {"activation": "sign"})["weights"]["refused"]


@pytest.mark.slow
def test_the_gradient_is_of_networks_and_not_of_the_theorem():
    residual, labels = (answer("now", {"gradient": gradient}) for gradient in ("residual", "labels"))
    problem = case_of({}).problem
    assert residual["limit"]["theorem"] == labels["limit"]["theorem"]
    assert residual["staircase"]["theorem"] == labels["staircase"]["theorem"]
    literal = tc.predict(problem, alpha="3/10", network="literal", gradient="labels")
    assert labels["limit"]["literal"]["test_gain"] == literal.test_gain
    assert labels["staircase"]["literal"]["steps"][2]["test_gain"] == literal.test_gain
    places = {gradient: answer("outliers", {"gradient": gradient})["places"] for gradient in ("residual", "labels")}
    assert places["labels"] == tc.spectrum(problem, n=1000, alpha="3/10", gradient="labels").outliers.tolist()
    step = tc.step(problem, n=1000, alpha="3/10", gradient="labels")
    assert answer("finite", {"gradient": "labels"})["test_gain"] == step.test_gain
    assert answer("curve", {"gradient": "labels"})["test_gain"][15] == pytest.approx(float(step.test_gain), rel=1e-7)
    assert labels["limit"]["literal"]["test_gain"] != residual["limit"]["literal"]["test_gain"]
    assert places["labels"] != places["residual"]


def test_where_networks_have_no_limit_the_theorem_is_shown():
    found = answer("now", {"activation": "sign(x) + x"})
    assert "jumps, which the gradient of a network does not see" in found["limit"]["literal"]["refused"]
    assert found["limit"]["literal"] == found["staircase"]["literal"] == found["path"]["literal"]
    assert found["limit"]["theorem"]["test_gain"] > 0
    assert "network='literal'" not in found["python"]


def test_conditions_that_fail_are_told_from_those_assumed():
    limit = answer("now", {"teacher": "relu", "second_layer": "sign", "noise": "3", "activation": "relu"})["limit"][
        "theorem"
    ]
    assert "second layer a Gaussian" in limit["fails"]
    assert "the teacher is Lipschitz" not in [*limit["fails"], *limit["assumed"]]
    conditions = tc.predict(case_of({}).problem, alpha="3/10").conditions
    shown = answer("now", {})["limit"]["theorem"]
    assert shown["fails"] == [c.statement for c in conditions if c.holds is False]
    assert "the teacher is Lipschitz" in shown["fails"]
    share = [text for text in shown["fails"] if "initial output" in text]
    assert len(share) == 1
    assert share[0] not in answer("now", {"noise": "2"})["limit"]["theorem"]["fails"]  # a share of another problem
    assert not [text for text in answer("now", {})["limit"]["literal"]["fails"] if "initial output" in text]


def test_few_samples_are_warned_of():
    assert answer("finite", {"n": "100"})["warning"] is None
    assert answer("finite", {"n": "99"})["warning"].startswith("n = 99 is small: known terms of order 1/n are included")


def test_the_warning_has_the_measured_shares():
    """Of the losses in the first row of the table in docs/limits.md."""
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    cells = re.search(r"^\| 225 \| `off\(1, 400\)` \|(.+?)\|(.+?)\|(.+?)\|", text, re.M).groups()
    shares = [float(cell.split("±")[0].replace("−", "-")) for cell in cells]
    assert max(shares) < 0
    words = f"at n = 225 networks were measured {math.floor(-max(shares))} to {math.ceil(-min(shares))} % below"
    assert words in answer("finite", {"n": "60"})["warning"]


def test_numbers_beyond_floats_are_refused_at_their_field():
    for field in ("alpha", "phi", "noise"):
        assert answer("now", {field: "1e400"})["error"]["field"] == field


@pytest.mark.parametrize(("alpha", "eta"), [("3/10", 1000**0.3), ("-1", 1e-3), ("0", 1), ("100", 1e300), ("1e6", None)])
def test_the_learning_rate_is_said(alpha, eta):
    assert answer("now", {"alpha": alpha})["eta"] == (None if eta is None else pytest.approx(eta, rel=1e-9))


def test_what_has_no_limit_is_shown_without_it():
    found = answer("now", {"alpha": "1/4"})
    assert found["limit"] == {}
    assert "literal" not in found["path"]
    assert "is on the boundary 1/4" in found["no_limit"]
    assert found["python"].count("tc.predict") == found["python"].count("tc.predict(problem, ell=0)") == 1
    assert answer("formulas", {"alpha": "1/4"})["refused"] == found["no_limit"]
    assert "needs ridge > 0" in answer("finite", {"ridge": "0"})["refused"]
    assert "python" not in answer("finite", {"ridge": "0"})
    assert "its derivative is wrong" in answer("outliers", {"activation": "sign"})["refused"]


def test_infinite_losses_are_explained_beside_the_ridge():
    for fields in ({"phi": "2/3", "ridge": "0"}, {"phi": "2/3", "ridge": "0", "alpha": "1/4"}):
        error = answer("now", fields)["error"]
        assert error["field"] == "ridge"
        assert "the test loss is infinite" in error["message"]
    assert answer("now", {"phi": "2/3", "ridge": "1e-6"})["limit"]["theorem"]["test_loss"] < 1e6


@pytest.mark.slow
def test_answers_are_json():
    for kind in ("now", "finite", "curve", "formulas", "choices"):
        found = answer(kind, {"phi": "3", "psi": "1/2"})
        assert json.loads(json.dumps(found, allow_nan=False)).keys() == found.keys()


def test_formulas_are_those_of_the_problem():
    found = answer("formulas", {"alpha": "0.35"})  # relu has no third coefficient
    delta = tc.latex(tc.symbolic.formula("Delta", 3, spikes=[1, 2])).splitlines()
    assert found["latex"].splitlines()[1] == delta[1]
    assert found["statement"][0][0].startswith("<math")
    gaussian = answer("formulas", {"alpha": "0.35", "first_layer": "gaussian"})
    assert gaussian["latex"] != found["latex"]


def test_a_teacher_of_several_directions():
    assert case_of({"teacher": "t1 + t1*t2"}).problem.teacher.directions == 2
    assert answer("formulas", {"teacher": "relu(t1) + where(t2 > 0, t1, 0)"})["ell"] == 2
    refused = answer("now", {"teacher": "t1 + x"})["error"]
    assert refused["field"] == "teacher"
    assert refused["message"].startswith("x and t1, t2, … do not mix")


def test_biases_have_limits_steps_and_a_spectrum():
    fields = {"activation": "tanh", "intercept": "yes", "biases": "0:1/2, 1:1/2"}
    found = answer("now", fields)
    assert "refused" not in found["spectrum"]
    problem = tc.Problem(
        "tanh", "H1 + H2/2 + H3/6 + H4/24", "1/2", "2/3", "1/10", "1/2", intercept=True, biases={0: 1, 1: 1}
    )
    assert found["limit"]["theorem"]["test_gain"] == pytest.approx(tc.predict(problem, ell=2).test_gain)
    assert "biases='0:1/2, 1:1/2'" in found["python"]
    assert "--biases '0:1/2, 1:1/2'" in found["command"]


def test_biases_have_formulas():
    fields = {"biases": "0:1/2, 1:1/2", "intercept": "yes"}
    assert "refused" not in answer("formulas", fields)
    assert "error" not in answer("now", fields)


def test_losses_on_clean_labels_stand_beside_those_on_corrupted_ones():
    clean, corrupted = (answer("now", {"corrupt_fit": share})["limit"]["theorem"] for share in ("0", "3/10"))
    assert clean["test_loss_clean"] == clean["test_loss"]
    assert corrupted["test_loss_clean"] < corrupted["test_loss"]
    finite = answer("finite", {"corrupt_fit": "3/10", "n": "200"})
    assert finite["test_loss_clean"] < finite["test_loss"]


@pytest.mark.slow
def test_error_rates_stand_beside_losses_where_labels_are_signs():
    fields = {"activation": "tanh", "teacher": "sign(x)", "noise": "0", "n": "100", "alpha": "1/10"}
    problem = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")
    limit = tc.error_rate(problem, ell=1)
    assert answer("now", fields)["rates"] == {
        "before": {"error_rate": limit.error_rate_initial},
        "theorem": {"error_rate": limit.error_rate},
        "literal": {"error_rate": tc.error_rate(problem, ell=1, network="literal").error_rate},
    }
    assert list(answer("now", fields | {"alpha": "1/4"})["rates"]) == ["before"]
    assert answer("now", {})["rates"] == {}
    assert "rate" not in answer("finite", {})
    several = tc.Problem("tanh", "sign(t1 + t1*t2)", "1/2", "2/3", "1/10")
    found = answer("now", fields | {"teacher": "sign(t1 + t1*t2)"})["rates"]["before"]
    assert found == {"error_rate": tc.error_rate(several, ell=0).error_rate}


@pytest.mark.slow
def test_the_error_rate_of_a_network():
    problem = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")
    found = answer("finite", {"activation": "tanh", "teacher": "sign(x)", "noise": "0", "n": "100", "alpha": "1/10"})
    assert found["rate"] == {"error_rate": tc.error_rate(problem, n=100, alpha="1/10").error_rate}
    none = answer("finite", {"activation": "tanh", "teacher": "sign(x)", "ridge": "0"})
    assert "refused" in none["rate"]


def test_inputs_with_a_covariance_have_limits():
    found = answer("now", {"inputs": "two_level(9, 1/4)"})
    teacher = "H1 + H2/2 + H3/6 + H4/24"
    problem = tc.Problem("relu", teacher, "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4)")
    assert found["limit"]["theorem"]["test_gain"] == pytest.approx(tc.predict(problem, ell=2).test_gain)
    assert "--inputs 'two_level(9, 1/4)'" in found["command"]
    assert "inputs_Delta" in answer("formulas", {"inputs": "two_level(9, 1/4)"})["refused"]
