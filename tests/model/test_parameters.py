"""The table of parameters: all that speaks of a parameter reads it, and errors name the parameter they are about."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import pickle
import re
from collections import Counter
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
from scipy.io import netcdf_file

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.cli import COMMANDS, main, parser
from theorycalc.cli.parsing import commands_of
from theorycalc.comparison.measurements import read_measurements
from theorycalc.errors import Spelling, about, spelled, spelling
from theorycalc.explorer.fields import EVERYDAY, FIELDS
from theorycalc.explorer.server import _file
from theorycalc.model.callables import values_of
from theorycalc.model.enums import GradientTarget
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.reproduce import problem_from_dict, problem_to_dict
from theorycalc.plots.words import parameter_words
from theorycalc.results.base import Result
from theorycalc.results.quantities import COMPARED, INPUTS, QUANTITIES
from theorycalc.results.quantities import FIELDS as RESULT_FIELDS

#: What several functions take that is no parameter of the theory: an object, or where and how it is computed.
RUNNING = {"problem", "quantities", "workers", "executor", "output", "resume"}
OWN_DATA = {"F", "X", "y", "model", "layer", "batch"}  # arrays and models of users
OF_OTHERS = {"convention"}  # of other papers and libraries, in ridge_from() and ridge_to()


def functions():
    """Yield the public functions, and Problem, with the names of their arguments."""
    for name in tc.__all__:
        found = getattr(tc, name)
        if inspect.isfunction(found) or found is tc.Problem:
            yield found, tuple(inspect.signature(found).parameters)


def test_every_shared_parameter_is_in_the_table():
    shared = Counter(name for _, names in functions() for name in names)
    assert {name for name, count in shared.items() if count > 1} - RUNNING - OWN_DATA - OF_OTHERS <= set(PARAMETERS)
    assert {field.name for field in dataclasses.fields(tc.Problem)} <= set(PARAMETERS)
    assert set(FIELDS) <= set(PARAMETERS)


def test_defaults_are_those_of_the_table():
    signature = inspect.signature(tc.Problem).parameters
    for name in ("noise", "first_layer", "second_layer", "step_samples"):
        assert signature[name].default == PARAMETERS[name].default
    for function, names in functions():
        for name in set(names) & {"form", "as_printed"}:
            assert inspect.signature(function).parameters[name].default == PARAMETERS[name].default


def described(documentation):
    """Return the names that the section Parameters of a docstring describes: ``n, d, N : int, optional``."""
    section = documentation.partition("Parameters\n----------\n")[2]
    section = re.split(r"\n\n(?:\w+\n---|>>>)", section)[0]
    heads = [line.partition(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return {name.strip(" *") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("function", [pytest.param(one, id=one.__name__) for one, _ in functions()])
def test_every_public_function_is_documented(function):
    documentation = inspect.getdoc(function)
    lacking = set(inspect.signature(function).parameters) - described(documentation)
    lacking |= {name for name in ("Returns", "Raises") if f"\n{name}\n---" not in documentation}
    lacking |= set() if ">>> " in documentation else {"example"}
    lacking -= {tc.Problem: {"Returns"}, tc.list_activations: {"Raises"}}.get(function, set())
    assert not lacking


FIGURES = sorted(tc.plots.__all__)
SHOWING = ("plot", "table", "text", "to_csv", "to_dataframe", "to_dataset", "to_dict", "save")
RESULTS = [one for one in map(vars(tc).get, tc.__all__) if isinstance(one, type) and issubclass(one, Result)]


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_documented(name):
    function = getattr(tc.plots, name)
    documentation = inspect.getdoc(function)
    assert set(inspect.signature(function).parameters) <= described(documentation)
    assert all(f"\n{section}\n---" in documentation for section in ("Returns", "Raises"))
    assert ">>> " in documentation


@pytest.mark.parametrize("result", [*RESULTS, tc.Report, tc.Sheet])
def test_methods_that_show_or_save_are_documented(result):
    """By their own docstring, or by that of the method that all results have."""
    for name in SHOWING:
        method = getattr(result, name, None)
        if not inspect.isfunction(method):
            continue
        documentation = inspect.getdoc(method) + "\n\n" + (inspect.getdoc(getattr(Result, name, None)) or "")
        known = described(inspect.getdoc(method)) | described(inspect.getdoc(getattr(Result, name, None)) or "")
        assert set(inspect.signature(method).parameters) - {"self"} <= known, name
        assert "\nReturns\n---" in documentation or name == "save", name


def test_docstrings_read_the_table():
    assert PARAMETERS["noise"].entry in tc.Problem.__doc__
    for result in (tc.Prediction, tc.FiniteStep):
        described = inspect.getdoc(result).partition("Attributes\n----------\n")[2]
        for name in {*COMPARED, "gradient"}:
            words = QUANTITIES[name].words if name in QUANTITIES else PARAMETERS[name].words
            assert re.search(rf"^{name} : .+\n    .*{re.escape(words)}", described, re.M | re.I), (result, name)
    for result in (tc.FiniteStep, tc.Spectrum, tc.Comparison):
        for name in RESULT_FIELDS.keys() & result.__annotations__.keys():
            words = re.escape(RESULT_FIELDS[name])
            assert re.search(rf"^{name} : .+\n    {words}\.$", inspect.getdoc(result), re.M | re.I), (result, name)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_the_words_of_the_table(name):
    command = commands_of(parser())[name].complete_description()
    own = {"ridge", "method", "ell", "digits"}  # where a command means something of its own
    for action in command._actions:
        if action.option_strings and action.dest in PARAMETERS.keys() - own:
            assert PARAMETERS[action.dest].words in action.help, (name, action.dest)
            for option in PARAMETERS[action.dest].options or ():
                assert option.meaning in action.help


def test_plots_columns_and_page_say_the_words_of_the_table():
    for name, column in INPUTS.items():
        if name in PARAMETERS:
            assert PARAMETERS[name].words in column.words
            assert PARAMETERS[name].words in parameter_words(name)
    shown = json.loads(_file("/parameters.json")[1])
    said = {name: EVERYDAY.get(name, PARAMETERS[name].words) for name in FIELDS}
    assert {name: field["words"] for name, field in shown.items()} == said
    assert all(field["help"].startswith(PARAMETERS[name].help) for name, field in shown.items())
    assert [word for word, _ in shown["gradient"]["options"]] == list(GradientTarget)


def test_netcdf_says_the_words_of_the_table(tmp_path):
    over = {"phi": [1, 2], "ell": [1], "noise": [0, 1]}
    tc.sweep(problem(), over, quantities="m1", output=tmp_path / "grid.nc")
    with netcdf_file(tmp_path / "grid.nc", mmap=False) as file:
        assert {name: file.variables[name].long_name.decode() for name in over} == {
            name: PARAMETERS[name].label for name in over
        }


def test_options_are_the_texts_that_they_were():
    made = problem(first_layer="gaussian")
    assert isinstance(made.first_layer, StrEnum)
    assert made.first_layer == "gaussian"
    assert (str(made.first_layer), repr(made.first_layer)) == ("gaussian", "'gaussian'")
    assert json.dumps(made.first_layer) == '"gaussian"'
    assert {"gaussian": 1}[made.first_layer] == 1
    assert dataclasses.replace(made, first_layer="sphere") == problem()
    assert pickle.loads(pickle.dumps(made)) == made


BAD = [
    (lambda: problem(phi=0), "phi"),
    (lambda: problem(psi="x"), "psi"),
    (lambda: problem(ridge=-1), "ridge"),
    (lambda: problem(ridge=[1, 2]), "ridge"),
    (lambda: problem(noise="nan"), "noise"),
    (lambda: problem(first_layer="cube"), "first_layer"),
    (lambda: problem(second_layer=3), "second_layer"),
    (lambda: problem(step_samples=0), "step_samples"),
    (lambda: problem(activation="rellu"), "activation"),
    (lambda: tc.predict(problem(activation="x**2"), ell=1), "activation"),
    (lambda: problem(teacher="H1 +"), "teacher"),
    (lambda: problem(teacher=["1", "b"]), "teacher"),
    (lambda: tc.Problem("relu", "H1", 1, 1), "ridge"),
    (lambda: tc.Problem("relu", "H1", 1, ridge=1), "psi"),
    (lambda: tc.Problem("relu", "H1", n=10, d=5, ridge=1), "N"),
    (lambda: tc.Problem("relu", "H1", n=10, d=5, N=2.5, ridge=1), "N"),
    (lambda: tc.Problem("relu"), "teacher"),
    (lambda: tc.Problem("relu", "H1", 1, 1, 1, rigde=1), "rigde"),
    (lambda: tc.predict("relu", ell=1), "problem"),
    (lambda: tc.predict(problem()), "ell"),
    (lambda: tc.predict(problem(), ell=-1), "ell"),
    (lambda: tc.predict(problem(), alpha="1/4"), "alpha"),
    (lambda: tc.predict(problem(), ell=1, form="open"), "form"),
    (lambda: tc.predict(problem(), ell=1, network="mine"), "network"),
    (lambda: tc.predict(problem(), ell=1, gradient="residual"), "gradient"),
    (lambda: tc.predict(problem(), ell=1, digits=0), "digits"),
    (lambda: tc.predict(problem(), ell=1, ridge=[1, -1]), "ridge"),
    (lambda: tc.predict(problem(), ell=1, phi=["1/2", "x"]), "phi"),
    (lambda: tc.predict(problem(), ell=1, noise=1e300), "noise"),
    (lambda: tc.predict(problem(), ell=1, digits=20, ridge=["1/2", 0.1]), "ridge"),
    (lambda: tc.predict(problem(), ell=1, as_printed=1), "as_printed"),
    (lambda: tc.staircase(problem(), "x"), "ell"),
    (lambda: tc.step(problem("tanh"), n=100), "alpha"),
    (lambda: tc.step(problem("tanh"), eta=1), "n"),
    (lambda: tc.step(problem("tanh"), n=100, d=7, eta=1), "d"),
    (lambda: tc.step(problem("tanh"), n=100, eta=-1), "eta"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1, method="mine"), "method"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1, ridge=0), "ridge"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1, digits=20), "digits"),
    (lambda: tc.spectrum(problem("tanh"), n=100, eta=1, gradient="mine"), "gradient"),
    (lambda: tc.best(problem("tanh"), n=0), "n"),
    (lambda: tc.best_ridge(problem("tanh"), n=100), "alpha"),
    (lambda: tc.best_step(problem("tanh"), n=100, gradient=3), "gradient"),
    (lambda: tc.samples_needed(problem("tanh"), ell=1, fraction=2, alpha="1/5"), "fraction"),
    (lambda: tc.rank_activations(problem(), ["relu"], n=100, by="name"), "by"),
    (lambda: tc.rank_activations(problem(), [], n=100), "activations"),
    (lambda: tc.simulate(problem("tanh"), n=100, eta=1, replicates=1), "replicates"),
    (lambda: tc.simulate(problem("tanh"), n=100, eta=1, input_law="mine"), "input_law"),
    (lambda: tc.sweep(problem(), {"ridge": [1, 1], "ell": 1}), "ridge"),
    (lambda: tc.sweep(problem(), {"activation": ["rellu"], "ell": 1}), "activation"),
    (lambda: tc.sweep(problem(), {"lam": [1], "ell": 1}), "over"),
    (lambda: tc.sweep(problem(), {"ell": 1}, quantities="mine"), "quantities"),
    (lambda: tc.sweep(problem(), {"ell": 1}, resume=True), "resume"),
    (lambda: tc.traces(phi=1, psi=1, ridge=1, c1=0, c_rest=1), "c1"),
    (lambda: tc.traces(phi=1, psi=1, ridge=1, c1=1, c_rest=-1), "c_rest"),
    (lambda: tc.coefficients("rellu", 3), "activation"),
    (lambda: tc.coefficients("relu", -1), "k"),
    (lambda: tc.coefficients("relu", 3, digits=5, exact=True), "digits"),
    (lambda: tc.ridge_from("sums", 1), "convention"),
    (lambda: tc.ridge_from("sum", 1), "n"),
    (lambda: tc.ridge_from("sum", -1, n=5), "value"),
    (lambda: tc.window("x"), "alpha"),
    (lambda: tc.window_bounds(0), "ell"),
    (lambda: tc.activation("rellu"), "given"),
    (lambda: tc.latex(problem()), "ell"),
    (lambda: tc.sheet(problem(), ell=0), "ell"),
    (lambda: tc.report(problem(), n=0), "n"),
    (lambda: tc.compare(3, problem()), "observed"),
    (lambda: tc.compare({"eta": [1, 1]}, problem()), "observed"),
    (lambda: tc.compare({"eta": [1, 1], "test_loss": [1, 2]}, problem()), "theory"),
    (lambda: read_measurements({"eta": [1], "test_loss": [1]}), "observed"),
    (lambda: read_measurements("no_such_table.csv"), "observed"),
    (lambda: tc.step(problem("tanh"), n=100, eta=[1, 2]).outliers, "eta"),
    (lambda: tc.Activation.from_moments("1/2", "1", present=(0, 1)), "present"),
    (lambda: tc.Activation.from_moments("1/2", "-1"), "c_rest"),
]

STORED = problem_to_dict(problem("relu"))
BY_MOMENTS = tc.Activation.from_moments("1/2", "3/10")

#: Errors that name what was given, not the part of it at fault: about a function, a text, a step, a file, ….
WHOLE = [
    (lambda: tc.Activation.from_callable(np.cumsum), "function"),
    (lambda: tc.Activation.from_callable(np.float64), "function"),
    (lambda: tc.Activation.from_callable(lambda x: 1 / x), "function"),
    (lambda: tc.Teacher.from_callable(lambda x: 1 / x), "function"),
    (lambda: tc.Activation.from_callable(np.tanh, kinks=["a"]), "kinks"),
    (lambda: tc.Activation.from_callable(np.tanh, kinks=3), "kinks"),
    (lambda: tc.Activation.from_callable(np.tanh, kinks="12"), "kinks"),
    (lambda: tc.Teacher.from_callable(np.tanh, kinks=np.array(3.0)), "kinks"),
    (lambda: tc.Activation.from_text(3), "text"),
    (lambda: tc.Activation.from_text(""), "text"),
    (lambda: tc.Teacher.from_text("1/x"), "text"),
    (lambda: problem(activation=np.cumsum), "activation"),
    (lambda: problem(teacher=np.cumsum), "teacher"),
    (lambda: tc.predict(problem(teacher=[0.1]), ell=1, digits=10), "teacher"),
    (lambda: tc.predict(problem(tc.Activation.from_moments(0.5, 0.3)), ell=1, digits=10), "activation"),
    (lambda: tc.predict(problem("1e30*relu(x)"), ell=1), "activation"),
    (lambda: tc.spectrum(problem("1e30*relu(x)")), "activation"),
    (lambda: tc.predict(problem("tanh"), ell=300), "ell"),
    (lambda: tc.predict(problem("tanh(x) + x**2"), ell="inf"), "ell"),
    (lambda: tc.predict(problem(tc.Activation.from_moments(1, 1, present=(1, 4, 300))), ell=300), "ell"),
    (lambda: tc.predict(problem("relu"), ell=60, form="matrix"), "form"),
    (lambda: tc.rank_activations(problem(), ["foo"], n=100), "activations"),
    (lambda: tc.rank_activations(problem(), ["x**2"], n=100), "activations"),
    (lambda: tc.sweep(problem(), {"foo": 1}), "over"),
    (lambda: tc.samples_needed(problem("tanh", teacher="H2"), ell=1, fraction="1/2", alpha="1/5"), "teacher"),
    (lambda: tc.simulate(problem(BY_MOMENTS), n=100, eta=1), "activation"),
    (lambda: tc.simulate(problem("sign(x)"), n=100, eta=1), "activation"),
    (lambda: tc.simulate(problem("tanh", teacher=tc.Teacher.from_moments([1], 2)), n=100, eta=1), "teacher"),
    (lambda: tc.step(problem(BY_MOMENTS), n=100, eta=1, method="pencil"), "activation"),
    (lambda: tc.step(problem("tanh"), n=100, alpha=40), "alpha"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1e40), "eta"),
    (lambda: tc.step(problem("tanh"), n=100, alpha=20, method="pencil"), "alpha"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1e40, method="pencil"), "eta"),
    (lambda: tc.step(problem("tanh"), n=100, eta=1e12), "eta"),
    (lambda: tc.step(problem("tanh"), n=100, alpha=6), "alpha"),
    (lambda: tc.step(problem("exp(x/8)"), n=100, eta=1e6), "eta"),
    (lambda: tc.step(problem("relu(exp(x/8) - 1)"), n=100, eta=1e6), "eta"),
    (lambda: tc.spectrum(problem("tanh"), n=100, alpha=40), "alpha"),
    (lambda: tc.spectrum(problem("tanh"), n=100, alpha="0.499", method="pencil"), "alpha"),
    (lambda: tc.spectrum(problem("tanh"), n=100, eta="9.99", method="pencil"), "eta"),
    (lambda: tc.spectrum(problem("tanh"), n=100, eta=1, powers=2), "powers"),
    (lambda: tc.spectrum(problem(tc.Activation.from_moments(1, 1)), n=100, eta=1), "activation"),
    (lambda: tc.best_ridge(3, n=100, alpha="1/5"), "problem"),
    (lambda: tc.report(3), "problem"),
    (lambda: tc.load_run("no_such_run.json"), "path"),
    (lambda: tc.Activation("relu"), "activation"),
    (lambda: problem(activation=lambda x: 1 / x), "activation"),
    (lambda: tc.Activation.from_callable(lambda x: x + 1j), "function"),
    (lambda: tc.Activation.from_callable(lambda x: np.ones(3)), "function"),
    (lambda: values_of(lambda x: x.nothing, np.ones(2)), "function"),
    (lambda: tc.coefficients(lambda x: x + x**2, 61), "k"),
    (lambda: tc.coefficients(lambda x: x + x**2, 3, digits=5), "digits"),
    (lambda: tc.activation(lambda x: x + x**3).spikes(61), "ell"),
    (lambda: tc.activation(lambda x: x + x**3).spikes(2), "activation"),
    (lambda: tc.activation("tanh").estimate(3), "activation"),
    (lambda: BY_MOMENTS.coefficients(3), "activation"),
    (lambda: BY_MOMENTS.enclosed_coefficient(3), "digits"),
    (lambda: tc.predict(problem(), ell=1, phi=np.array([True])), "phi"),
    (lambda: tc.predict(problem(), ell=1, ridge=[1.0, float("nan")]), "ridge"),
    (lambda: problem_from_dict(3), "problem"),
    (lambda: problem_from_dict(STORED | {"activation": {}}), "activation"),
    (lambda: problem_from_dict(STORED | {"activation": {"text": None}}), "activation"),
    (lambda: problem_from_dict(STORED | {"teacher": {}}), "teacher"),
    (lambda: problem_from_dict(STORED | {"noise": "x"}), "noise"),
]
BAD += WHOLE


@pytest.mark.parametrize(("call", "argument"), BAD, ids=[f"{i}-{name}" for i, (_, name) in enumerate(BAD)])
def test_errors_carry_their_argument(call, argument):
    with pytest.raises(tc.TheoryError) as caught:
        call()
    assert caught.value.argument == argument
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.argument) == (type(caught.value), str(caught.value), argument)


def test_an_error_may_be_about_no_argument():
    assert tc.DomainError("all labels are zero").argument is None
    with pytest.raises(tc.DomainError) as caught, about("teacher"):
        raise tc.DomainError("all labels are zero")
    assert caught.value.argument == "teacher"


def test_messages_spell_arguments_as_their_reader_does():
    with pytest.raises(tc.ArgumentError, match="give either ell= or alpha="):
        tc.predict(problem())
    with (
        spelling(Spelling(lambda name, value: f"<{name}>", lambda name: name)),
        pytest.raises(tc.ArgumentError, match="give either <ell> or <alpha>"),
    ):
        tc.predict(problem())
    assert spelled("ell") == "ell="


#: What a command is given, and what its message then says, as options are written.
TYPED = [
    ("predict --ell 1 --ridge 0 --as-printed", "--as-printed needs ridge > 0"),
    ("predict --ell 1 --ridge 0 --form matrix", "--form matrix needs ridge > 0"),
    ("predict --ell 30 --form matrix", "use --form closed, or --digits"),
    ("predict --ell inf --form matrix", "--form matrix needs a finite ℓ; --ell inf has"),
    (
        "predict --ell 1 --network literal --as-printed",
        "--as-printed is the paper's",
    ),
    ("predict --ell 1 --network literal --form matrix", "of the theorem; --network literal has"),
    ("predict --ell 1 --gradient residual", "--gradient residual is a literal network's"),
    ("predict --ell 300 --activation tanh", "use --ell inf"),
    ("predict --ell inf --activation tanh(x)+x**2", "--ell inf is not computed for"),
    ("predict --ell 1 --activation sign(x) --network literal", "--network literal has no limit for it"),
    ("predict --alpha 0.7", "--ell inf is their limit. theorycalc step"),
    ("step --n 100 --eta 1 --digits 10", "--digits is for --method pencil"),
    ("step --n 100 --eta 1e40 --method pencil", "use --method dressed, or theorycalc predict"),
    ("step --n 100 --eta 1e12 --activation tanh", "or theorycalc predict for the limit"),
    ("spectrum --alpha 0.3", "--alpha describes a step of a finite network, which needs --n"),
    ("weights --eta 3", "--eta describes a step of a finite network, which needs --n"),
    ("spectrum --n 100 --eta 1 --method dressed --powers 2", "--powers is for --method pencil"),
]


@pytest.mark.parametrize(("typed", "said"), TYPED)
def test_commands_write_options_as_they_are_typed(typed, said, capsys):
    command, *options = typed.split()
    given = {"--activation": "relu", "--teacher": "H1", "--phi": "1/2", "--psi": "2/3", "--noise": "1/2"}
    given |= {} if command in ("spectrum", "weights") else {"--ridge": "1/10"}
    rest = [word for name, value in given.items() if name not in options for word in (name, value)]
    assert main([command, *rest, *options]) == 2
    assert said in capsys.readouterr().err


#: Messages that no command causes, with the arguments that they write.
SPELT = [
    (lambda: tc.symbolic.Lambda(40, form="matrix"), "<form> is symbolic"),
    (lambda: tc.predict(problem(BY_MOMENTS, first_layer="gaussian"), ell=2), "<first_layer> needs c_2"),
    (
        lambda: tc.predict(problem(BY_MOMENTS, second_layer="constant"), ell=1, network="literal"),
        "<second_layer> with the gradient",
    ),
    (lambda: tc.predict(problem(BY_MOMENTS), ell=2, network="literal"), "<network> needs Var"),
    (lambda: tc.predict(problem(teacher=tc.Teacher.from_moments([1], 2)), ell=4), "covariance= for <ell>"),
]


@pytest.mark.parametrize(("call", "said"), SPELT, ids=[said for _, said in SPELT])
def test_other_messages_spell_their_arguments(call, said):
    with (
        spelling(Spelling(lambda name, value: f"<{name}>", lambda name: name)),
        pytest.raises(tc.TheoryError, match=said),
    ):
        call()


def test_the_base_of_activations_says_how_to_make_one():
    with pytest.raises(tc.ArgumentError, match=r"use Activation\.from_text, from_callable, from_moments or"):
        tc.Activation("relu")
    relu = tc.Activation.from_text("relu")
    assert pickle.loads(pickle.dumps(relu)) == relu


@pytest.mark.parametrize("verb", [tc.best, tc.best_ridge, tc.best_step])
def test_planning_names_the_verb_that_got_no_problem(verb):
    with pytest.raises(tc.ArgumentError, match=rf"^{verb.__name__}\(\) takes a Problem, not int$"):
        verb(3, n=100)


def test_a_list_of_activations_has_no_figure():
    with pytest.raises(tc.ArgumentError, match="no figure of an ActivationList, only of each activation in it"):
        tc.list_activations().plot()


@pytest.mark.slow
def test_no_module_parses_a_message():
    """What an error is about is in the error: its text is for people."""
    for path in Path(tc.__file__).parent.rglob("*.py"):
        for handler in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(handler, ast.ExceptHandler) or handler.name is None or _is_foreign(handler.type):
                continue
            text = f"str({handler.name})"
            for node in ast.walk(handler):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    parsed = ast.unparse(node.func.value) == text
                    searched = ast.unparse(node.func.value) == "re" and text in map(ast.unparse, node.args)
                    assert not parsed, f"{path}:{node.lineno}"
                    assert not searched, f"{path}:{node.lineno}"


def _is_foreign(kinds: ast.expr | None) -> bool:
    """Say whether a handler is for errors of Python and other libraries only."""
    return kinds is not None and not any(
        isinstance(node, ast.Name) and isinstance(getattr(tc, node.id, None), type) for node in ast.walk(kinds)
    )
