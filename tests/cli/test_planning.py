"""best, best-step, best-ridge, samples-needed and rank, run as a user runs them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import pytest

import theorycalc as tc
from tests.helpers.commands import run
from tests.helpers.searches import searched_once
from theorycalc.results import ranking

CASE = ["--teacher", "H1 + H2/2", "--noise", "1/2", "--n", "120", "--d", "60", "--N", "90"]
TANH = ["--activation", "tanh(x + 1)", *CASE]
PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/2", n=120, d=60, N=90, ridge="1/10", noise="1/2")
VALUES = ("eta", "alpha", "ridge", "test_loss", "test_gain", "train_gain")


_once = pytest.fixture(autouse=True, scope="module")(searched_once)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["best"], lambda: tc.best(PROBLEM)),
        (["best", "--gradient", "labels"], lambda: tc.best(PROBLEM, gradient="labels")),
        (["best-step", "--ridge", "0.1"], lambda: tc.best_step(PROBLEM)),
        (["best-ridge", "--eta", "4"], lambda: tc.best_ridge(PROBLEM, eta=4)),
        (["best-ridge", "--alpha", "0.3"], lambda: tc.best_ridge(PROBLEM, alpha="0.3")),
    ],
)
def test_the_best_is_that_of_the_library(capsys, arguments, expected):
    best = expected()
    values = {name: getattr(best, name) for name in VALUES}
    data = json.loads(run(capsys, *arguments, *TANH, "--json")[1])
    assert data["values"] == values
    assert (data["at_edge"], data["larger_hurts"]) == (best.at_edge, best.larger_hurts)
    assert list(data["searched"].values()) == [list(best.searched)]
    (row,) = csv.DictReader(io.StringIO(run(capsys, *arguments, *TANH, "--csv")[1]))
    assert {name: float(row[name]) for name in VALUES} == values
    code, out, err = run(capsys, *arguments, *TANH)
    assert (code, err) == (0, "")
    assert out.startswith("Lowest test loss at n = 120, d = 60, N = 90\n")
    assert all(repr(values[name]) in out for name in ("test_loss", "test_gain", "train_gain"))
    assert all(f" {values[name]:.4g} " in out for name in ("eta", "alpha", "ridge"))


def test_a_note_for_each_parameter_at_an_edge(capsys, monkeypatch):
    """The notes of a search for both named the steps where the ridge had ended at its edge."""
    wide = tc.best_ridge(tc.Problem("x", "H1", n=120, d=60, N=90, ridge=1), eta=1)
    both = dataclasses.replace(wide, chosen=("eta", "ridge"), searched=(0.1, 20.0), at_ends=("ridge",))
    monkeypatch.setattr(tc, "best", lambda *_args, **_more: both)
    arguments = ["best", "--activation", "x", "--teacher", "H1", "--n", "120", "--d", "60", "--N", "90"]
    assert "  note  the search ended at the edge of its range; ridges from 1e-06" in run(capsys, *arguments)[1]
    both = dataclasses.replace(both, eta=0.0, at_ends=("eta", "ridge"))
    steps, ridges = (line for line in run(capsys, *arguments)[1].splitlines() if "were tried" in line)
    assert steps == "  note  no step at all is best, or as good; steps from 0.1 to 20 were tried"
    assert ridges == "  note  the search ended at the edge of its range; ridges from 1e-06 to 1e+04 were tried"
    data = json.loads(run(capsys, *arguments, "--json")[1])
    assert data["at_ends"] == ["eta", "ridge"]


@pytest.mark.slow
def test_the_notes_of_a_search(capsys):
    nothing = ["--activation", "relu", "--teacher", "H0", "--noise", "1", "--n", "120", "--d", "60", "--N", "90"]
    _, out, _ = run(capsys, "best-step", *nothing, "--ridge", "10")
    assert "  note  no step at all is best, or as good; steps from " in out
    linear = ["--activation", "x", "--teacher", "H1", "--n", "120", "--d", "60", "--N", "90", "--eta", "1"]
    _, out, _ = run(capsys, "best-ridge", *linear)
    edge = "  note  the search ended at the edge of its range; ridges from 1e-06 to 1e+04 were tried"
    assert edge in out
    _, out, _ = run(capsys, "best-ridge", *linear[:-1], "0")
    assert edge in out
    assert "no step at all" not in out
    _, out, _ = run(capsys, "best-step", *TANH, "--ridge", "0.1")
    assert "  note  the largest step that was tried is worse" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["best-step", *TANH, "--ridge", "0.1"], ["best-ridge", *TANH, "--eta", "4"], ["best", *TANH]]
)
def test_the_range_searched_is_drawn(capsys, monkeypatch, arguments):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr("theorycalc.plots.save", lambda figure, path: drawn.append(figure))
    assert run(capsys, *arguments, "--plot", "best.svg")[0] == 0
    axis = drawn[0].axes[-1].get_xlabel()
    assert axis.startswith("$\\lambda$, ridge" if arguments[0] == "best-ridge" else "$\\eta$, size of the step")


@pytest.mark.slow
def test_samples_needed(capsys):
    asked = ["--activation", "relu", "--teacher", "H1", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]
    step = ["--ell", "1", "--alpha", "0.2", "--fraction", "0.8"]
    problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    n = tc.samples_needed(problem, ell=1, alpha="0.2", fraction="0.8")
    data = json.loads(run(capsys, "samples-needed", *asked, *step, "--json")[1])
    assert (data["n"], data["ell"], data["fraction"], data["gradient"]) == (n, 1, "0.8", "residual")
    assert data["train_gain"] >= 0.8 * data["train_gain_limit"]
    code, out, _ = run(capsys, "samples-needed", *asked, *step)
    assert code == 0
    assert out.startswith(f"{n} samples show 0.8 of the limit after a step n^0.2\n")
    (row,) = csv.DictReader(io.StringIO(run(capsys, "samples-needed", *asked, *step, "--csv")[1]))
    assert (row["n"], row["alpha"]) == (str(n), "0.2")


@pytest.mark.slow
def test_rank(capsys):
    names = "relu, leaky_relu(0.1); where(x > 0, x, x/2), square"
    found = tc.rank_activations(PROBLEM, ["relu", "leaky_relu(0.1)", "where(x > 0, x, x/2)", "square"], eta=4)
    arguments = ["rank", "--activation", names, *CASE, "--eta", "4"]
    data = json.loads(run(capsys, *arguments, "--json")[1])
    assert data == json.loads(json.dumps(found.to_dict()))
    rows = list(csv.DictReader(io.StringIO(run(capsys, *arguments, "--csv")[1])))
    assert [row["activation"] for row in rows] == [row["activation"] for row in found.rows]
    assert rows[-1]["reason"].startswith("activation square has c_1 = 0")
    assert run(capsys, *arguments)[1] == found.table(full=True).text() + "\n"


@pytest.mark.slow
def test_rank_of_limits_takes_sizes_by_their_ratios(capsys):
    data = json.loads(run(capsys, "rank", *CASE, "--ell", "1", "--network", "theorem", "--json")[1])
    expected = tc.rank_activations(PROBLEM, ell=1, network="theorem")
    named = [row for row in expected.rows if row["activation"] != "tanh(x + 1)"]
    assert [row["test_loss"] for row in data["rows"]] == [row["test_loss"] for row in named]


def test_an_interruption_prints_what_is_done(capsys, monkeypatch):
    def once(*args, _calls=[], **more):  # noqa: B006 - it counts
        _calls.append(args)
        if len(_calls) > 1:
            raise KeyboardInterrupt
        return tc.step(*args, **more)

    monkeypatch.setattr(ranking, "step", once)
    code, out, err = run(
        capsys, "rank", "--activation", "relu,tanh", *CASE, "--eta", "4", "--tune", "none", "--ridge", "1"
    )
    assert code == 130
    assert out.splitlines()[2].split()[:2] == ["1", "relu"]
    assert "interrupted; 1 of 2 activations are done" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best", *CASE], "give --activation"),
        (["best", *TANH, "--ridge", "0.1,1"], "one value is needed here"),
        (["best-step", *TANH], "--ridge is missing"),
        (["best-ridge", *TANH], "the step is missing: give either --alpha"),
        (["best-ridge", *TANH, "--eta", "1,2"], "--eta 1,2 is not a number"),
        (["samples-needed", *TANH, "--ridge", "1", "--ell", "1", "--alpha", "0.3"], "--alpha 0.3 is in window ℓ = 2"),
        (["rank", *CASE, "--c1", "1", "--c-rest", "1", "--eta", "1"], "not both"),
        (["rank", "--activation", "relu,tnah", *CASE, "--eta", "1"], "did you mean 'tanh'?"),
        (["rank", *CASE, "--eta", "1", "--tune", "none"], "--tune none is at one ridge for all: give --ridge"),
        (["rank", *CASE, "--eta", "1", "--tune", "both"], "take --tune ridge or"),
        (["rank", *CASE, "--tune", "ridge"], "give --alpha or --eta, or --ell for limits"),
        (["rank", *CASE, "--eta", "1", "--by", "loss"], "--by loss is not known"),
        (["rank", "--teacher", "H1", "--phi", "1", "--psi", "1", "--n", "9", "--ell", "1"], "--ell ranks limits"),
        (["rank", "--teacher", "H1", "--phi", "1", "--psi", "1", "--eta", "1"], "--n is missing"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_draws_needed(capsys):
    step = ["--ridge", "0.1", "--eta", "4", "--accuracy", "1/20", "--quantity", "train_gain"]
    draws = tc.draws_needed(PROBLEM, eta=4, accuracy="1/20", quantity="train_gain")
    found = tc.step(PROBLEM, eta=4)
    data = json.loads(run(capsys, "draws-needed", *TANH, *step, "--json")[1])
    assert (data["draws"], data["quantity"], data["accuracy"], data["eta"]) == (draws, "train_gain", "1/20", "4")
    assert (data["value"], data["standard_deviation"]) == (found.train_gain, found.spread.train_gain)
    code, out, err = run(capsys, "draws-needed", *TANH, *step)
    assert (code, err) == (0, "")
    assert out.startswith(f"{draws.text}\n")
    assert (data["draws_to_measure"], data["draws_to_show"]) == (draws, draws.to_show)
    shows = json.loads(run(capsys, "draws-needed", *TANH, *step[:4], *step[6:], "--difference", "1/20", "--json")[1])
    assert (shows["draws"], shows["accuracy"], shows["difference"]) == (draws.to_show, None, "1/20")
    usual = json.loads(run(capsys, "draws-needed", *TANH, *step[:4], "--json")[1])
    assert (usual["draws"], usual["accuracy"]) == (tc.draws_needed(PROBLEM, eta=4), "1/100")
    (row,) = csv.DictReader(io.StringIO(run(capsys, "draws-needed", *TANH, *step, "--csv")[1]))
    assert (row["draws"], row["n"]) == (str(draws), "120")
    labels = json.loads(run(capsys, "draws-needed", *TANH, *step, "--gradient", "labels", "--json")[1])
    assert labels["standard_deviation"] == tc.step(PROBLEM, eta=4, gradient="labels").spread.train_gain


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--eta", "4", "--accuracy", "0"], "--accuracy 0 must be positive"),
        (["--eta", "4", "--accuracy", "2"], "--accuracy 2 is a share below 1: 2 % is 0.02"),
        (["--eta", "4", "--accuracy", "1/2", "--difference", "1/2"], "give --accuracy (a standard error) or --diff"),
        (["--eta", "4", "--quantity", "train_error"], "train_error"),
        (["--eta", "0"], "test_gain is 0 to rounding"),
        ([], "--eta"),
    ],
)
def test_draws_that_cannot_be_counted(capsys, options, words):
    code, _, err = run(capsys, "draws-needed", *TANH, "--ridge", "0.1", *options)
    assert code == 2
    assert words in err
