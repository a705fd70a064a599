"""Numbers, lists and ranges as options."""

from __future__ import annotations

from fractions import Fraction

from tests.helpers.commands import PREDICT, RELU, run
from theorycalc.cli.options import numbers, whole_or_text, windows


def test_values_that_begin_with_a_minus_sign_need_no_equals_sign(capsys):
    code, out, _ = run(capsys, *PREDICT, "--teacher", "-1,1/2", "--ell", "1")
    assert code == 0
    assert "-0.73" in out
    code, out, _ = run(capsys, "predict", *RELU, "--activation", "-tanh(x)", "--ell", "1")
    assert code == 0
    assert run(capsys, "coefficients", "-k", "1", "--csv", "--", "-x")[1] == "k,c_k\n0,0.0\n1,-1.0\n"


def test_numbers_lists_and_ranges():
    assert numbers("0.05:0.45:9", "alpha")[4] == Fraction(1, 4)
    assert numbers("1, 2 ,3:5:3", "eta") == [1, 2, 3, 4, 5]
    assert numbers("1e-4:1e4:9:log", "ridge") == [Fraction(10) ** k for k in range(-4, 5)]
    third = numbers("1:8:4:log,1/3:3:2:log", "ridge")
    assert third == [1, 2, 4, 8, Fraction(1, 3), 3]
    assert [whole_or_text(text) for text in ("12", "-3", "1e3", "1.5e2", "1.55e1", "inf", None)] == [
        12, -3, 1000, 150, "1.55e1", "inf", None,
    ]  # fmt: skip
    assert windows("0:2:3,7,inf") == [0, 1, 2, 7, "inf"]


def test_lists_of_options_are_for_sweeps(capsys):
    for option, text in (("--corrupt-fit", "0.1,0.2"), ("--first-scale", "1:2:3"), ("--steps", "1,2")):
        code, _, error = run(capsys, *PREDICT, "--ell", "1", option, text)
        assert code == 2
        assert f"{option} {text!r}: one value is needed here; theorycalc sweep takes lists of them" in error
