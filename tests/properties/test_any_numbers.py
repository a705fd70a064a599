"""Whatever the numbers: a public function returns finite numbers or refuses with a sentence, and it does not warn.

Every function of ``tc.__all__`` is called, those excepted that need a file, a network or a run; parameters are usual
ones, of which a few are replaced by numbers from 1e-300 to 1e300, and by whole numbers beyond float64.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.fuzz.guards import Overdue, within

SECONDS = 2.0  # of processor time, after which a call is left out: how long it may take is not asked here
_NEEDS_MORE = {"budget", "compare", "feature_batches", "feature_gain", "features_of", "load_run", "report"}
VERBS = sorted(
    name for name in tc.__all__ if name.islower() and callable(getattr(tc, name)) and name not in _NEEDS_MORE
)

EXTREME = st.one_of(
    st.builds("{}e{}".format, st.integers(1, 99), st.integers(-300, 300)),
    st.builds(lambda exponent: 10.0**exponent, st.floats(-300, 300)),
    st.sampled_from(["0", "1e-17", "5e16", "1e154", "1e178", "1e-400", 5e-324, 1.7e308, 10**400]),
)
SIZES = st.sampled_from([1, 2, 20, 10**7, 10**16, 10**20, 10**24, 10**100, 10**309, 10**400])
_TINY = st.integers(1, 320).map(lambda power: f"1e-{power}")
_SCALES = st.sampled_from(["sqrt(3)", "e", "37/100", "7/100", "pi", "1e-18", "1e-150", "1e150", "1e300", "-1e-300"])
#: Linear ones up to rounding, and others of any scale.
ACTIVATIONS = st.one_of(
    st.sampled_from(["tanh(x + 1)", "relu", "exp(x/2)", "sign(x)", "x", "H1 + H2/2", "gelu", "x**9"]),
    st.builds("{}*x".format, _SCALES),
    st.builds("x + {}*{}".format, _TINY, st.sampled_from(["tanh(x)", "x**2", "relu(x)", "sin(x)"])),
    st.builds("{}*{}".format, _SCALES, st.sampled_from(["tanh(x + 1)", "relu(x)"])),
    st.builds("{}({}*x)".format, st.sampled_from(["relu", "sin", "softplus"]), _SCALES),
    st.builds("where(tan(1e300) + pi**2 > x/2, {}*x, tanh(x))".format, _SCALES),
    st.lists(EXTREME, min_size=1, max_size=3),
    st.builds(lambda scale: lambda x: scale * np.tanh(x), st.sampled_from([1.0, 1e-200, 1e200])),
)
TEACHERS = st.one_of(
    st.sampled_from(["H1 + H2/2", "H1", "relu", "sign(x)", "t1 + t1*t2", "H2", "H3/6"]),
    st.builds("{}*H1 + {}*H2".format, _SCALES, _SCALES),
    st.builds("tanh({}*x)".format, _SCALES),
    st.lists(EXTREME, min_size=1, max_size=3),
)
_USUAL = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
_OPTIONS = {
    "first_layer": st.just("gaussian"),
    "second_layer": st.sampled_from(["sign", "constant"]),
    "step_samples": EXTREME,
    "intercept": st.just(value=True),
    "centred": st.just(value=False),
    "centred_labels": st.just(value=False),
    "first_scale": EXTREME,
    "second_scale": EXTREME,
    "biases": st.builds(lambda bias: {0: "1/2", bias: "1/2"}, EXTREME) | st.just("normal(1)"),
    "inputs": st.sampled_from(["two_level(9, 1/4)", "two_level(1e100, 1/4)", "power(1/3, 1/2)", "1e-300:1/2, 2:1/2"]),
    "steps": st.sampled_from([2, 10**6, 10**400]),
    **dict.fromkeys(("corrupt_step", "corrupt_fit", "flip_step", "flip_fit"), st.sampled_from(["1/10", "1", 1e-300])),
}


def some(strategies: Mapping[str, st.SearchStrategy[Any]], most: int) -> st.SearchStrategy[dict[str, Any]]:
    """Values of a few of some parameters."""
    chosen = st.lists(st.sampled_from(sorted(strategies)), max_size=most, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: strategies[name] for name in names}))


PROBLEMS = st.builds(
    lambda activation, teacher, replaced, options, sizes: (
        {"activation": activation, "teacher": teacher} | _USUAL | replaced | options | sizes
    ),
    ACTIVATIONS,
    TEACHERS,
    some(dict.fromkeys(_USUAL, EXTREME), 2),
    some(_OPTIONS, 2),
    st.just({}) | st.fixed_dictionaries({"n": SIZES, "d": SIZES, "N": SIZES, "phi": st.none(), "psi": st.none()}),
)
_ELLS = st.sampled_from([0, 1, 2, 3, "inf", 10**400])
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("phi", "psi", "ridge", "noise", "c1", "c_rest", "value"), EXTREME),
    "n": st.just(1000) | SIZES,
    "alpha": st.sampled_from([0.3, "1/10", 0.761, 0]) | EXTREME,
    "eta": st.sampled_from([1, 100]) | EXTREME,
    "ell": _ELLS,
    "digits": st.sampled_from([5, 20]),
    "gradient": st.sampled_from(["labels", "residual"]),
    "network": st.sampled_from(["theorem", "literal"]),
    "method": st.sampled_from(["dressed", "isotropic", "pencil"]),
    "form": st.just("matrix"),
    "powers": st.sampled_from([1, 3, 12, 10**9]),
    "fraction": st.sampled_from(["1/2", 1e-300, 1 - 1e-16]),
    "accuracy": st.just("1/100") | EXTREME,
    "difference": EXTREME,
    "level": st.sampled_from(["1/2", 1e-300, 1 - 1e-16]),
    "tune": st.sampled_from(["ridge", "step"]),
    "activations": st.lists(ACTIVATIONS, min_size=1, max_size=2),
    "activation": ACTIVATIONS,
    "given": ACTIVATIONS,
    "thing": PROBLEMS,
    "k": st.sampled_from([0, 3, 12, 10**400]),
    "exact": st.booleans(),
    "growing": st.sampled_from(["n", "N"]),
    "sizes": st.none() | st.lists(SIZES, min_size=3, max_size=3, unique=True).map(sorted),
    "over": st.dictionaries(
        st.sampled_from(["ridge", "phi", "noise", "n", "alpha", "ell"]), EXTREME.map(lambda x: [x])
    ),
    "convention": st.sampled_from(["mean", "sum"]),
    "replicates": st.just(1),
    "precision": st.just("float32"),
    "F": st.builds(
        lambda scale: scale * np.random.default_rng(0).normal(size=(5, 3)), st.sampled_from([1, 1e200, 1e-200])
    ),
    "y": st.builds(lambda scale: scale * np.arange(5.0), st.sampled_from([0, 1, 1e200, 1e-200])),
}
_ALTERNATIVES = {"alpha", "eta"}  # of which one is given


@st.composite
def calls(draw: st.DrawFn, verb: str) -> dict[str, Any]:
    """The arguments of a call: those that it needs, most of those of a step, and a few others."""
    parameters = inspect.signature(getattr(tc, verb)).parameters
    needed = [name for name, one in parameters.items() if one.default is one.empty and name != "problem"]
    usual = [name for name in ("n", "ell", "replicates") if name in parameters and draw(st.integers(0, 3))]
    steps = sorted(_ALTERNATIVES & set(parameters))
    usual += [draw(st.sampled_from(steps))] if steps else []
    others = sorted(set(parameters) & set(ARGUMENTS) - _ALTERNATIVES - set(needed))
    names = {*needed, *usual, *draw(st.lists(st.sampled_from(others), max_size=1) if others else st.just([]))}
    given = {name: draw(ARGUMENTS[name]) for name in sorted(names)}
    return given | ({"problem": draw(PROBLEMS)} if "problem" in parameters else {})


def outcome(verb: str, arguments: Mapping[str, Any]) -> object:
    """Return the result of a call, whose problem is made first, or the error that refuses it."""
    try:
        made = {name: tc.Problem(**x) if name in ("problem", "thing") else x for name, x in arguments.items()}
        result = getattr(tc, verb)(**made)
        return result.to_dict() if hasattr(result, "to_dict") else result
    except tc.TheoryError as error:
        return error


def check(found: object) -> None:
    """Find a number that is none, or a refusal without a sentence."""
    if isinstance(found, tc.TheoryError):
        message = str(found)
        assert len(message.split()) > 2
        assert "report" not in message
    elif isinstance(found, dict):
        assert json.dumps(found, allow_nan=False)
    elif isinstance(found, float):
        assert math.isfinite(found)
    elif isinstance(found, np.ndarray):
        assert np.isfinite(found.astype(float)).all()


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=max(5, settings.default.max_examples // 12))
@given(st.data())
def test_any_numbers(verb, data):
    arguments = data.draw(calls(verb))
    try:
        with within(SECONDS, lambda: Overdue(verb)):
            found = outcome(verb, arguments)
    except Overdue:
        event("left out: slow")
        return
    event("refused" if isinstance(found, tc.TheoryError) else "computed")
    check(found)


def test_the_check_is_not_blind():
    for bad in (tc.TheoryError("no"), {"test_loss": math.nan}, math.inf, np.array([0.0, np.nan])):
        with pytest.raises((AssertionError, ValueError)):
            check(bad)
    check(outcome("predict", {"problem": {"activation": "relu", "teacher": "H1"} | _USUAL, "ell": 1}))
