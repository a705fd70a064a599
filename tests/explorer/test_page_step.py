"""The page in a real browser: the size of the step, the spread of one run, and options that start unfolded."""

from __future__ import annotations

import math
import re

import pytest

import theorycalc as tc
from tests.explorer.test_page import copied, number
from tests.helpers.explorer import settled
from tests.helpers.problems import problem as example

pytestmark = pytest.mark.slow


def test_a_learning_rate_may_be_typed(visit):
    """η and α follow one another, and the one that was typed keeps its text in the address and in copied code."""
    page = visit()
    settled(page)
    assert float(page.locator("#eta").input_value()) == pytest.approx(1000**0.3, rel=1e-5)
    page.locator("#eta").fill("21/2")
    page.locator("#summary-title").filter(has_text="At α = 0.3404 (η = 21/2), in window ℓ = 3").wait_for()
    assert float(page.locator("#alpha").input_value()) == pytest.approx(math.log(10.5, 1000), rel=1e-5)
    settled(page)
    page.wait_for_url("**eta=21%2F2")
    assert "eta='21/2'" in copied(page, "python")
    finite = tc.step(example("relu", "H1 + H2/2 + H3/6 + H4/24"), n=1000, eta="21/2")
    assert number(page, "test-finite") == pytest.approx(float(finite.test_loss), rel=1e-5)
    page.locator("#n").fill("2000")  # keeps η
    page.locator("#summary-title").filter(has_text="At α = 0.3094 (η = 21/2)").wait_for()
    page.reload()
    settled(page)
    assert page.locator("#eta").input_value() == "21/2"
    assert float(page.locator("#alpha").input_value()) == pytest.approx(math.log(10.5, 2000), rel=1e-5)
    page.locator("#eta").fill("")  # the exponent stays
    page.locator("#summary-title").filter(has_text=re.compile(r"At α = 0\.3093\d\d, in")).wait_for()
    page.locator("#alpha").fill("1/5")
    page.locator("#summary-title").filter(has_text="At α = 1/5, in").wait_for()
    assert float(page.locator("#eta").input_value()) == pytest.approx(2000**0.2, rel=1e-5)
    page.locator("#eta").fill("-1")
    page.locator("#eta-error").filter(has_text="must be positive").wait_for()


def test_options_that_are_not_at_their_default_are_unfolded(visit):
    page = visit({"flip_fit": "1/5", "teacher": "sign(x)", "noise": "0"})
    page.locator("#flip_fit").wait_for()
    assert page.locator("#flip_fit").is_visible()
    assert not page.locator("#steps").is_visible()
    another = visit({"second_scale": "1/2"})
    another.locator("#second_scale").wait_for()
    assert not another.locator("#flip_fit").is_visible()


def test_the_spread_of_one_run_is_beside_the_network(visit):
    page = visit()
    settled(page)
    spread = tc.step(example("relu", "H1 + H2/2 + H3/6 + H4/24"), n=1000, alpha="3/10").spread
    for id, name in (("train-finite", "train_loss"), ("test-finite", "test_loss"), ("test-finite-gain", "test_gain")):
        shown = page.locator(f"#{id}-spread").text_content().removeprefix("± ")
        assert float(shown) == pytest.approx(float(getattr(spread, name)), rel=0.05)
    assert page.locator("#error-finite-spread").text_content() == ""
