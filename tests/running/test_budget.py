"""Every evaluation that a text starts ends within its budget of processor time, and nothing else is cut off."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.hostile import ACTIVATIONS, FOUND, TEACHERS, outcome
from theorycalc.cli import main
from theorycalc.errors import BudgetError
from theorycalc.explorer.answers import answer
from theorycalc.running.budget import allow, allowed, check, more_for, one_budget, spending, spends
from theorycalc.running.crew import in_processes

ROUGH = "cos(1000*x)*tanh(x)"
SLACK = 1.5  # seconds that one step between two checks, and what no text makes longer, may take


def problem(activation="tanh(x + 1)", teacher="H1 + H2/2", **options):
    """Return a problem of these functions."""
    return tc.Problem(activation, teacher, "1/2", "2/3", **{"ridge": "1/10", "noise": "1/2"} | options)


def evaluations(activation="tanh(x + 1)", teacher="H1 + H2/2"):
    """Yield calls that evaluate the functions of a problem, the reading of it first."""
    yield lambda: problem(activation, teacher)
    found = []
    if outcome(lambda: found.append(problem(activation, teacher)))[1] is None:
        (case,) = found
        yield lambda: tc.predict(case, ell=2)
        yield lambda: tc.predict(case, ell=2, digits=20)
        yield lambda: tc.step(case, n=300, eta=5.0)
        yield lambda: tc.spectrum(case, n=300, eta=5.0)
        yield lambda: tc.weight_spectrum(case, n=300, eta=5.0)


def spend(steps=10**7):
    """Spend the budget in vain."""
    for _ in range(steps):
        check()


def test_a_budget_ends_what_spends_it_and_names_the_purpose_and_the_remedy():
    with pytest.raises(BudgetError) as error, tc.budget(0.01), spending("counting", "sheep"):
        spend()
    assert str(error.value) == (
        "0.01 s of processor time are not enough for counting sheep; write the function more simply, or allow more: "
        "with tc.budget(0.3): …"
    )


def test_only_what_spends_a_budget_uses_it_up():
    with tc.budget(0.01), one_budget():
        for _ in range(3):
            spend(10**5)  # outside of spending()
        with spending("something short"):
            check()
        with pytest.raises(BudgetError), spending("something long"):
            spend()
        with pytest.raises(BudgetError), spending("something short"):
            pytest.fail("the budget of this evaluation was used up")
    with tc.budget(0.01), spending("another evaluation"):
        check()


def test_blocks_are_undone():
    assert allowed() == 2
    with tc.budget(60), pytest.raises(KeyError), tc.budget(1), spending("this"):
        raise KeyError
    assert allowed() == 2


def test_each_thread_has_its_own_budget():
    results = {}
    together = threading.Barrier(3)

    def work(name, seconds):
        with tc.budget(seconds):
            together.wait()
            results[name] = outcome(lambda: _counted(10**5))

    threads = [threading.Thread(target=work, args=case) for case in (("a", 1e-3), ("b", 100), ("c", 1e-3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: error is None for name, (_, error) in results.items()} == {"a": False, "b": True, "c": False}
    assert allowed() == 2


@spends("counting")
def _counted(steps):
    spend(steps)


def test_what_failed_is_tried_again_with_more():
    text = "tanh(x + 1) + sin(40*x)/3"
    with pytest.raises(BudgetError), tc.budget(1e-4):
        tc.coefficients(text, 3)
    first = tc.coefficients(text, 3)
    with tc.budget(60):
        np.testing.assert_array_equal(tc.coefficients(text, 3), first)


def test_many_digits_have_more():
    """The budget grows with the digits that are asked for: tanh takes long because of them alone."""
    tc.coefficients("tanh(x - 1)", 1, digits=20)  # reads the function, which no digit makes longer
    with tc.budget(0.1):
        assert len(str(tc.coefficients("tanh(x - 1)", 1, digits=1000)[1])) > 1000
    with tc.budget(0.01), one_budget():
        more_for(20)
        with pytest.raises(BudgetError):
            _counted(10**7)


@pytest.mark.slow
def test_a_search_has_the_budget_at_each_of_its_points():
    """A search takes many times as long as one of its evaluations."""
    case = problem("tanh(x + 1/7)")
    tc.step(case, n=300, eta=5.0)  # reads the functions
    spent = outcome(lambda: tc.best_step(case, n=300))[0]
    with tc.budget(spent / 2):
        assert tc.best_step(problem("tanh(x + 1/7)", ridge="1/9"), n=300).test_gain > 0


@pytest.mark.slow
def test_worker_processes_have_the_budget_of_their_parent():
    with tc.budget(7):
        assert [found for _, found in in_processes(_allowed, [(0,), (1,)], 2)] == [7, 7]


def _allowed(_):
    return allowed()


def test_allow_holds_for_this_context():
    found = []

    def work():
        allow(5)
        found.append(allowed())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (found, allowed()) == ([5], 2)


def test_a_command_has_an_option_for_its_budget(capsys):
    assert main(["coefficients", ROUGH, "--budget", "1/10"]) == 2
    said = capsys.readouterr().err
    assert "0.1 s of processor time are not enough for reading cos(1000*x)*tanh(x)" in said
    assert said.endswith("or allow more: --budget 3\n")
    assert main(["coefficients", "tanh", "--budget", "0"]) == 2
    assert "--budget" in capsys.readouterr().err


def test_the_explorer_says_which_field_takes_too_long():
    with tc.budget(0.1):
        found = answer("now", {"activation": ROUGH})
    assert found["error"]["field"] == "activation"
    assert "processor time" in found["error"]["message"]


def test_a_ranking_lists_what_takes_too_long():
    with tc.budget(0.3):
        found = tc.rank_activations(problem(), ["relu", ROUGH], ell=2)
    assert [one.reason is None for one in found.entries] == [True, False]


@pytest.mark.parametrize("text", ACTIVATIONS, ids=lambda text: text[:30])
def test_hostile_activations_end_within_a_small_budget(text):
    with tc.budget(0.1):
        for evaluation in evaluations(text):
            time, error = outcome(evaluation)
            assert time < 0.1 + SLACK, error


@pytest.mark.slow
@pytest.mark.parametrize("teacher", TEACHERS)
def test_hostile_teachers_end_within_a_small_budget(teacher):
    with tc.budget(0.1):
        for evaluation in evaluations(teacher=teacher):
            time, error = outcome(evaluation)
            assert time < 0.1 + SLACK, error


@pytest.mark.slow
@pytest.mark.parametrize("text", FOUND, ids=lambda text: text[:30])
def test_hostile_activations_end_within_two_seconds(text):
    for evaluation in evaluations(text):
        time, error = outcome(evaluation)
        assert time < 2 + SLACK, error


FAST = {"n": 300, "eta": 500.0, "gradient": "labels"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "times"),
    [
        (lambda: tc.report(problem("sin(x**5)")), 1),
        (lambda: tc.sheet(problem("sin(x**5)"), ell=2, digits=None), 1),
        (lambda: tc.step(problem("sin(3*x)"), n=300, alpha=0.88), 1),
        (lambda: tc.step(problem("tanh", steps=10, step_samples=100), n=300, eta=50.0, gradient="labels"), 1),
        (lambda: tc.step(problem("sin(3*x)", steps=4, step_samples=100), **FAST), 3),  # a spike below 10³ has more
        (lambda: tc.error_rate(problem("sin(3*x)", "sign(x)", noise=0, steps=4), **FAST), 3),
    ],
    ids=["report", "sheet", "fast", "several", "strong", "rate"],
)
def test_calls_that_took_long_end_within_their_budget(call, times):
    time, error = outcome(call)
    assert time < 2 * times + SLACK, error
