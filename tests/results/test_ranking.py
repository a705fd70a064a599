"""rank_activations(): activations in the order of what is predicted."""

from __future__ import annotations

import dataclasses
import json

import pytest

import theorycalc as tc
from tests.helpers.searches import searched_once
from theorycalc.results import ranking as ranking_module
from theorycalc.results.quantities import AFTER
from theorycalc.results.ranking import rank_activations

_once = pytest.fixture(autouse=True, scope="module")(searched_once)
PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/2", n=200, d=100, N=150, ridge="1/10", noise="1/2")
THREE = ["relu", "tanh", "softplus"]


def with_activation(name):
    return tc.Problem(name, "H1 + H2/2", n=200, d=100, N=150, ridge="1/10", noise="1/2")


@pytest.mark.slow
def test_each_has_its_own_best_ridge_where_a_step_is_given():
    found = rank_activations(PROBLEM, THREE, eta=5)
    assert found.tune == "ridge"
    losses = [row["test_loss"] for row in found.rows]
    assert losses == sorted(losses)
    for row in found.rows:
        best = tc.best_ridge(with_activation(row["activation"]), eta=5)
        assert (row["ridge"], row["at_edge"], row["eta"]) == (best.ridge, best.at_edge, 5)
        assert row["test_loss"] == pytest.approx(best.test_loss, rel=1e-8)


@pytest.mark.slow
def test_without_a_step_each_has_its_own_best_step_too():
    (row,) = rank_activations(PROBLEM, ["tanh"]).rows
    best = tc.best(with_activation("tanh"))
    assert (row["eta"], row["ridge"]) == (best.eta, best.ridge)
    (row,) = rank_activations(PROBLEM, ["tanh"], tune="step").rows
    best = tc.best_step(with_activation("tanh"))
    assert (row["eta"], row["ridge"]) == (best.eta, 0.1)


@pytest.mark.parametrize("by", AFTER)
def test_the_order_and_the_numbers_are_those_of_step(by):
    found = rank_activations(PROBLEM, THREE, alpha="0.3", tune="none", by=by, gradient="labels")
    steps = {name: tc.step(with_activation(name), alpha="0.3", gradient="labels") for name in THREE}
    for row in found.rows:
        assert {name: row[name] for name in AFTER} == {name: getattr(steps[row["activation"]], name) for name in AFTER}
        assert row["ridge"] == 0.1
    values = [row[by] for row in found.rows]
    assert values == sorted(values, reverse=by.endswith("gain"))


@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_limits(network):
    found = rank_activations(PROBLEM, THREE, ell=2, network=network)
    for row in found.rows:
        case = with_activation(row["activation"])
        here = tc.predict(case, ell=2, network=network, ridge=row["ridge"])
        assert row["test_loss"] == here.test_loss
        around = tc.predict(case, ell=2, network=network, ridge=[row["ridge"] * f for f in (0.99, 1.01)])
        assert (around.test_loss > here.test_loss).all()
        assert (row["eta"], row["at_edge"]) == (None, False)
    fixed = rank_activations(PROBLEM, THREE, ell=2, network=network, tune="none")
    gains = {row["activation"]: row["test_gain"] for row in fixed.rows}
    assert gains == {name: tc.predict(with_activation(name), ell=2, network=network).test_gain for name in THREE}


def test_by_default_all_that_have_a_name_and_the_problem_s_own():
    found = rank_activations(PROBLEM, ell=1)
    names = [row["activation"] for row in found.rows]
    listed = {row["name"] for row in tc.list_activations().rows if row["c1"]}
    assert set(names) == listed | {"tanh(x + 1)"}
    assert len(names) == len(set(names))
    assert "threshold" not in names
    assert "square" not in names


def test_those_that_cannot_be_computed_come_last_with_the_reason():
    given = ["square", "relu", "exp(x**2)", "sign", tc.activation("tanh")]
    found = rank_activations(PROBLEM, given, eta=5, tune="none")
    assert [row["rank"] for row in found.rows] == [1, 2, None, None, None]
    reasons = {row["activation"]: row["reason"] for row in found.rows}
    assert "c_1 = 0" in reasons["square"]
    assert "square-integrable" in reasons["exp(x**2)"]
    assert "it jumps" in reasons["sign"]
    assert reasons["relu"] is None
    assert "square is not ranked: activation square has c_1 = 0" in repr(found)
    with pytest.raises(tc.DomainError, match=r"no activation can be ranked; square: .* c_1 = 0"):
        rank_activations(PROBLEM, ["square", "cos"], eta=5)


@pytest.mark.slow
def test_one_ridge_for_all_is_unfair_to_the_size_of_an_activation():
    pair = ["tanh", "tanh(x)/10"]
    tuned = rank_activations(PROBLEM, pair, gradient="labels").rows
    assert tuned[0]["test_loss"] == pytest.approx(tuned[1]["test_loss"], rel=1e-6)
    fixed = rank_activations(PROBLEM, pair, eta=5, tune="none", gradient="labels").rows
    assert fixed[1]["test_loss"] > 1.05 * fixed[0]["test_loss"]


def test_ctrl_c_keeps_what_was_done(monkeypatch):
    calls = []

    def stops_at_the_second(*args, **more):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return tc.step(*args, **more)

    monkeypatch.setattr(ranking_module, "step", stops_at_the_second)
    with pytest.raises(tc.RankingInterrupted, match="1 of 3 activations are done") as stop:
        rank_activations(PROBLEM, THREE, eta=5, tune="none")
    assert [row["activation"] for row in stop.value.ranking.rows] == ["relu"]


@pytest.mark.parametrize(
    ("teacher", "words"),
    [
        ("sin(x)", "teacher sin(x), in the limit"),
        (["1", "1/2"], "teacher 1,1/2, in the limit"),
        (tc.Teacher.from_moments(["1"], second_moment=2), "teacher known by its moments, in the limit"),
    ],
    ids=["text", "coefficients", "moments"],
)
def test_the_title_names_the_teacher(teacher, words):
    assert words in rank_activations(dataclasses.replace(PROBLEM, teacher=teacher), ["ReLU"], ell=1, tune="none").title


@pytest.mark.slow
def test_data_and_text():
    found = rank_activations(PROBLEM, [*THREE, "square"], eta=5, by="train_error")
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["sizes"] == {"n": 200, "d": 100, "N": 150}
    assert "ridge" not in data["inputs"]
    assert [row["activation"] for row in data["rows"]] == [row["activation"] for row in found.rows]
    lines = found.table(full=True).text().splitlines()
    assert lines[0] == (
        "Activations by training error for the teacher H1 + H2/2, after one step at n = 200, d = 100, N = 150, "
        "each at its own best ridge"
    )
    assert lines[2].split()[:2] == ["1", found.rows[0]["activation"]]
    assert repr(found.rows[0]["train_error"]) in lines[2]
    assert rank_activations(PROBLEM, THREE, eta=5, tune="none").to_dict()["inputs"]["ridge"] == "1/10"


@pytest.mark.slow
def test_the_picture_has_a_line_for_each():
    figures = pytest.importorskip("matplotlib.figure")
    found = rank_activations(PROBLEM, [*THREE, "square"], eta=5)
    (axes,) = found.plot().axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [row["activation"] for row in found.rows[:3]]
    lines = {line.get_gid(): line.get_xdata() for line in axes.get_lines()}
    before, after = lines["test_loss_initial"], lines["test_loss"]
    assert after.tolist() == [row["test_loss"] for row in found.rows[:3]]
    assert before.tolist() == [row["test_loss"] + row["test_gain"] for row in found.rows[:3]]
    mine = figures.Figure().subplots()
    assert found.plot(mine) is mine.figure
    assert mine.get_xlabel() == "test loss"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"activations": ["relu", "tnah"], "eta": 5}, "did you mean 'tanh'"),
        ({"activations": [], "eta": 5}, "activations= is empty"),
        ({"activations": [3], "eta": 5}, "no activation can be ranked; 3"),
        ({"activations": 3, "eta": 5}, "no activation can be ranked; 3"),
        ({"eta": 5, "tune": "both"}, "tune='both' chooses a step, and alpha= or eta= is given"),
        ({"ell": 1, "tune": "step"}, "tune='step' chooses a step, and a limit has none"),
        ({"tune": "none"}, "tune='none' chooses no step: give alpha= or eta="),
        ({"tune": "all"}, "tune='all' is not known"),
        ({"by": "test_los"}, "did you mean 'test_loss'"),
        ({"eta": -1}, "eta=-1"),
        ({"eta": 1, "alpha": 1}, "not both"),
        ({"eta": 1, "gradient": "label"}, "did you mean 'labels'"),
        ({"eta": 1, "network": "theorem"}, "network='theorem' is a limit"),
        ({"ell": 1, "n": 100}, "ell= ranks limits"),
        ({"ell": 1.5}, "ell=1.5"),
        ({"ell": 1, "network": "theorem", "gradient": "residual"}, "add network='literal'"),
        ({"n": 1, "eta": 1}, "n=1"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(tc.TheoryError, match=message):
        rank_activations(PROBLEM, **arguments)
    with pytest.raises(tc.ArgumentError, match="takes a Problem, not str"):
        rank_activations("relu")
