"""The table of names against references written here from torch's documentation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from theorycalc.functions.bounds import check_real, growth
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.functions.primitives import ALIASES, NAMED, activation_names, formula_of

X = np.linspace(-8, 8, 4001)
_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
_INNER = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
REFERENCES = {
    "relu": np.clip(X, 0, None),
    "leaky_relu": np.maximum(0, X) + 0.01 * np.minimum(0, X),
    "leaky_relu(0.2)": np.maximum(0, X) + 0.2 * np.minimum(0, X),
    "relu6": np.minimum(np.maximum(0, X), 6),
    "elu": np.maximum(0, X) + np.minimum(0, np.expm1(X)),
    "elu(alpha=2)": np.maximum(0, X) + np.minimum(0, 2 * np.expm1(X)),
    "selu": _SCALE * (np.maximum(0, X) + np.minimum(0, _ALPHA * np.expm1(X))),
    "celu(2)": np.maximum(0, X) + np.minimum(0, 2 * np.expm1(X / 2)),
    "gelu": X * special.ndtr(X),
    "gelu_tanh": 0.5 * X * (1 + np.tanh(_INNER)),
    "silu": X / (1 + np.exp(-X)),
    "mish": X * np.tanh(np.log1p(np.exp(X))),
    "softplus": np.log1p(np.exp(X)),
    "softplus(beta=3)": np.log1p(np.exp(3 * X)) / 3,
    "softsign": X / (1 + np.abs(X)),
    "hardtanh": np.clip(X, -1, 1),
    "hardtanh(min_val=-2, max_val=0.5)": np.clip(X, -2, 0.5),
    "hardsigmoid": np.where(X <= -3, 0, np.where(X >= 3, 1, X / 6 + 0.5)),
    "hardswish": np.where(X <= -3, 0, np.where(X >= 3, X, X * (X + 3) / 6)),
    "hardshrink": np.where(np.abs(X) > 0.5, X, 0),
    "softshrink": np.sign(X) * np.maximum(np.abs(X) - 0.5, 0),
    "softshrink(lambd=1)": np.sign(X) * np.maximum(np.abs(X) - 1, 0),
    "tanhshrink": X - np.tanh(X),
    "tanh": np.tanh(X),
    "sigmoid": special.expit(X),
    "logsigmoid": -np.log1p(np.exp(-X)),
    "threshold(1, 20)": np.where(X > 1, X, 20),
    "rrelu": np.where(X >= 0, X, (1 / 8 + 1 / 3) / 2 * X),
    "prelu": np.where(X >= 0, X, 0.25 * X),
    "erf": special.erf(X),
    "sin": np.sin(X),
    "cos": np.cos(X),
    "atan": np.arctan(X),
    "asinh": np.arcsinh(X),
    "exp": np.exp(X),
    "abs": np.abs(X),
    "sign": np.sign(X),
    "step": (np.sign(X) + 1) / 2,
    "identity": X,
    "gaussian": np.exp(-(X**2) / 2),
    "square": X * X,
    "cube": X * X * X,
}


@pytest.mark.parametrize("name", REFERENCES)
def test_formula_is_torchs(name):
    values = compile_numpy(parse(name))(X)
    np.testing.assert_allclose(values, REFERENCES[name], rtol=4e-15, atol=4e-16)


def test_every_name_has_a_reference():
    assert {name.partition("(")[0] for name in REFERENCES} == set(activation_names())


def test_every_name_is_real_and_does_not_grow_too_fast():
    for name in REFERENCES:
        check_real(parse(name))
        assert growth(parse(name)).exponent_quadratic <= 0


def test_aliases_lead_to_names():
    for alias, name in ALIASES.items():
        assert name in activation_names()
        assert parse(alias) == parse(name)


def test_table_is_text_that_shows_its_formula():
    assert formula_of("silu") == "x*sigmoid(beta*x)"
    assert all(row.formula and row.name == name for name, row in NAMED.items())
