"""Trees evaluated by numpy, sympy and balls."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy

from tests.helpers.formulas import NAMES, SMOOTH, SYMBOL, exact_value
from theorycalc.functions.evaluate import compile_numpy, to_sympy
from theorycalc.functions.grammar import parse


@pytest.mark.parametrize("text", [*SMOOTH, *NAMES])
def test_numpy_sympy_and_balls_agree(text):
    tree = parse(text)
    function, symbolic = compile_numpy(tree), to_sympy(tree)
    assert symbolic.free_symbols <= {SYMBOL}
    for x in ("-2.25", "-0.5", "0.375", "4.5"):
        value = exact_value(tree, x)
        assert value.rel_accuracy_bits() > 100 or abs(value) < 1e-60
        assert float(function(float(x))) == pytest.approx(float(value.mid()), rel=1e-14, abs=1e-16)
        sampled = sympy.N(symbolic.subs(SYMBOL, sympy.Rational(x)), 30)
        assert float(sampled) == pytest.approx(float(value.mid()), rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("name", ["gelu", "silu", "softplus", "logsigmoid", "elu", "mish", "gelu_tanh"])
def test_float_values_keep_their_digits_far_out_and_near_zero(name):
    context = mpmath.MPContext()
    context.dps = 60
    exact = {
        "gelu": lambda x: x * context.erfc(-x / context.sqrt(2)) / 2,
        "silu": lambda x: x / (1 + context.exp(-x)),
        "softplus": lambda x: context.log(1 + context.exp(x)),
        "logsigmoid": lambda x: -context.log(1 + context.exp(-x)),
        "elu": lambda x: x if x > 0 else context.exp(x) - 1,
        "mish": lambda x: x * context.tanh(context.log(1 + context.exp(x))),
        "gelu_tanh": lambda x: (
            x / 2 * (1 + context.tanh(context.sqrt(2 / context.pi) * (x + context.mpf("0.044715") * x**3)))
        ),
    }[name]
    function = compile_numpy(parse(name))
    for x in (-12.0, -5.0, -1e-9, 1e-9, 3.0, 40.0):
        assert float(function(x)) == pytest.approx(float(exact(context.mpf(x))), rel=3e-14)


def test_values_far_out_do_not_overflow():
    far = np.array([-1e4, 1e4])
    for name in ("elu", "selu", "softplus", "sigmoid", "silu", "mish", "gelu_tanh", "celu(0.1)"):
        assert np.all(np.isfinite(compile_numpy(parse(name))(far))), name
