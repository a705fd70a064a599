"""The command and the code that make a result again."""

from __future__ import annotations

import shlex

import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.problems import problem as example
from theorycalc.cli import parser
from theorycalc.cli.options import Arguments
from theorycalc.documents.report import command_of, python_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "problem",
    [
        PROBLEM,
        tc.Problem("tanh(x + 1)", "H1 - H2/sqrt(2)", 2, "1/3", "1e-3", first_layer="gaussian", second_layer="sign"),
        tc.Problem("relu", ["-1", "1/2"], "1/2", "2/3", 0.1, step_samples="3/2"),
        tc.Problem("softplus", "H1", n=300, d=100, N=200, ridge="1/10", step_samples=150),
        tc.Problem(tc.Activation.from_moments("1/2", "3/10"), "H1", "1/2", "2/3", "1/10"),
        example("where(x > 1, tanh(x), x)", "sin(x)", noise="1e-3"),
    ],
    ids=lambda problem: problem.activation.name,
)
def test_what_is_typed_again_is_the_same_problem(problem):
    command = command_of(problem, 300, ["1/10"], "residual", None)
    words = shlex.split(command.replace("\\\n", " "))
    assert words[:2] == ["theorycalc", "report"]
    options = parser().parse_args(words[1:], Arguments())
    scope = {}
    code = python_of(problem, 300, ["1/10"], "residual", None).splitlines()
    exec("\n".join(code[:-1]), scope)  # all but the report itself
    assert code[-1] == "tc.report(problem, n=300, alpha='1/10').save(\"report.html\")"
    assert (options.n, options.alpha, options.output) == ("300", "1/10", "report.html")
    for again in (options.problem(), scope["problem"]):
        assert tc.predict(again, ell=1).rows == tc.predict(problem, ell=1).rows
        for name in ("phi", "psi", "first_layer", "second_layer", "step_ratio"):
            assert getattr(again, name) == getattr(problem, name)
