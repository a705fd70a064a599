"""The explorer's page in a real browser: what a person does, and what a person sees."""

from __future__ import annotations

import csv
import io
import re
import shlex
import subprocess
import sys

import pytest

import theorycalc as tc
from tests.helpers.explorer import WIDTHS, running, settled
from tests.helpers.problems import problem as example
from tests.helpers.processes import PATIENCE
from theorycalc.cli import main
from theorycalc.explorer.fields import FIELDS, shown_of
from theorycalc.model.parameters import PARAMETERS

pytestmark = pytest.mark.slow

#: The rows of losses on the page, by the names of their quantities.
LOSSES = {"train": "train_loss", "error": "train_error", "test": "test_loss"}


def number(page, id: str) -> float:
    return float(page.locator(f"#{id}").text_content().replace("−", "-"))


def changes_from(page, id: str, old: str) -> str:
    place = page.locator(f"#{id}").filter(has_not_text=re.compile(f"^{re.escape(old)}$"))
    place.wait_for(state="attached")
    return place.text_content()


def slide(page, name: str, value: float) -> None:
    page.locator(f"#{name}-slider").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def copied(page, what: str) -> str:
    page.locator("#copied").evaluate("(place) => { place.textContent = ''; }")
    page.locator(f"#copy-{what}").click()
    page.locator("#copied").filter(has_text="is on the clipboard").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def test_the_first_picture_is_of_the_first_values(visit):
    page = visit()
    settled(page)
    problem = example("relu", "H1 + H2/2 + H3/6 + H4/24")
    found = {
        "limit": tc.predict(problem, alpha="3/10"),
        "literal": tc.predict(problem, alpha="3/10", network="literal"),
        "finite": tc.step(problem, n=1000, alpha="3/10"),
    }
    assert page.locator("#summary-title").text_content() == "At α = 3/10, in window ℓ = 2"
    for row, name in LOSSES.items():
        assert number(page, f"{row}-before") == pytest.approx(getattr(found["limit"], f"{name}_initial"), rel=1e-5)
        for column, step in found.items():
            assert number(page, f"{row}-{column}") == pytest.approx(float(getattr(step, name)), rel=1e-5)
    for kind in ("train", "test"):
        for column, step in found.items():
            value = float(getattr(step, f"{kind}_gain"))
            assert number(page, f"{kind}-{column}-gain") == pytest.approx(value, rel=1e-5)
    assert page.locator("#staircase .train-fill").count() == 9 + 1  # and one in the legend
    for picture in ("staircase", "gain", "path"):
        assert page.locator(f"#{picture} .dashes.test").count() > 0
    assert page.locator("#spectrum .spike").count() == 1
    weights = tc.weight_spectrum(problem, n=1000, alpha="3/10")
    assert float(page.locator("#weights .spike-label").text_content()) == pytest.approx(weights.outlier, rel=1e-3)
    texts = page.locator("#weights svg text").all_text_contents()
    assert f"β⋆ {weights.overlap_teacher:.2f}" in texts
    assert page.locator("#formula-lines math").count() >= 10
    assert page.locator("#activation-choice option").count() > 20


@pytest.mark.parametrize(("name", "place", "text"), [("phi", 0, "1"), ("ridge", -2, "0.01"), ("noise", 1, "1")])
def test_numbers_follow_a_slider(visit, name, place, text):
    page = visit()
    settled(page)
    old = page.locator("#test-limit-gain").text_content()
    slide(page, name, place)
    changes_from(page, "test-limit-gain", old)
    assert page.locator(f"#{name}").input_value() == text
    fields = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", name: text}
    problem = tc.Problem("relu", "H1 + H2/2 + H3/6 + H4/24", **fields)
    assert number(page, "test-limit-gain") == pytest.approx(tc.predict(problem, ell=2).test_gain, rel=1e-5)


def test_a_slider_obeys_the_keyboard(visit):
    page = visit()
    settled(page)
    page.locator("#alpha-slider").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("#at-alpha").filter(has_text="0.295").wait_for()
    assert page.locator("#alpha").input_value() == "0.295"


def test_the_finite_step_and_its_curve_follow_later(visit):
    page = visit()
    settled(page)
    old = page.locator("#test-finite-gain").text_content()
    slide(page, "n", 4)
    changes_from(page, "test-finite-gain", old)
    page.locator("#gain figcaption").filter(has_text="10\u202f000").wait_for()
    settled(page)
    problem = example("relu", "H1 + H2/2 + H3/6 + H4/24")
    finite = tc.step(problem, n=10_000, alpha="3/10")
    assert number(page, "test-finite-gain") == pytest.approx(float(finite.test_gain), rel=1e-5)


def test_words_say_which_number_is_which(visit):
    page = visit({"n": "60"})
    settled(page)
    which = page.locator("#which").inner_text().splitlines()
    assert [line.split(":")[0].split(",")[0] for line in which] == [
        "network of n = 60 samples", "theorem", "limit of literal networks",
    ]  # fmt: skip
    assert "d = 30 inputs, N = 45 neurons" in which[0]
    rows = page.locator("#losses tbody th").all_inner_texts()
    assert rows[:3] == [
        "training loss, ridge objective, penalty included",
        "training error, without the penalty",
        "test loss",
    ]
    assert page.locator("body").inner_text().count("separate batches") == 1
    warnings = page.locator("#warnings li").all_inner_texts()
    assert not any("Lipschitz" in text for text in warnings)  # the theorem's conditions are folded away
    summary = page.locator("#conditions summary")
    assert summary.text_content() == "2 conditions of the theorem fail here"
    summary.press("Enter")
    assert "the teacher is Lipschitz" in page.locator("#failing li").all_inner_texts()
    assert any(text.startswith("n = 60 is small: known terms of order 1/n are included") for text in warnings)
    colours = [
        page.locator(place).first.evaluate("(x) => getComputedStyle(x).color") for place in ("body", "#warnings li")
    ]
    assert colours[0] == colours[1]  # not dimmed


def test_the_gradient_on_the_labels_alone(visit):
    page = visit()
    settled(page)
    old = page.locator("#test-finite-gain").text_content()
    theorem = page.locator("#test-limit-gain").text_content()
    page.get_by_label("on the labels alone").check()
    changes_from(page, "test-finite-gain", old)
    page.wait_for_url("**gradient=labels**")
    problem = example("relu", "H1 + H2/2 + H3/6 + H4/24")
    finite = tc.step(problem, n=1000, alpha="3/10", gradient="labels")
    literal = tc.predict(problem, alpha="3/10", network="literal", gradient="labels")
    assert number(page, "test-finite-gain") == pytest.approx(float(finite.test_gain), rel=1e-5)
    assert number(page, "test-literal-gain") == pytest.approx(literal.test_gain, rel=1e-5)
    assert page.locator("#test-limit-gain").text_content() == theorem
    assert "whose step is on the labels alone" in page.locator("#which").inner_text()
    page.reload()
    settled(page)
    assert page.get_by_label("on the labels alone").is_checked()
    assert number(page, "test-finite-gain") == pytest.approx(float(finite.test_gain), rel=1e-5)


def test_options_of_labels_and_fit_are_in_the_link_and_in_the_python(visit):
    page = visit()
    settled(page)
    page.get_by_label("Fit has an intercept").check()
    page.locator("#labels summary").click()
    page.wait_for_url("**intercept=yes**")
    page.locator("#flip_fit").fill("3/2")
    page.locator("#flip_fit-error").filter(has_text="must not be more than 1").wait_for()
    page.wait_for_url("**flip_fit=3**")
    page.reload()
    page.locator("#flip_fit-error").filter(has_text="must not be more than 1").wait_for()  # and its fold is open
    assert page.locator("#flip_fit").is_visible()
    assert page.get_by_label("Fit has an intercept").is_checked()


def test_where_networks_have_no_limit_the_reason_is_shown(visit):
    page = visit({"activation": "sign(x) + x"})
    page.locator("#warnings").filter(has_text="no limit of literal networks: activation sign(x) + x jumps").wait_for()
    page.locator("#warnings").filter(has_text="no finite step: activation sign(x) + x").wait_for()
    assert page.locator("#staircase .note").text_content() == "no limit of literal networks: the reason is above"
    assert page.locator("#test-literal-gain").text_content() == "–"
    assert page.locator(".dashes:not(.line)").count() == 0
    assert number(page, "test-limit-gain") > 0


def test_typing_an_activation(visit):
    page = visit()
    settled(page)
    old = page.locator("#test-limit-gain").text_content()
    page.locator("#activation").fill("tanh(x + 1)")
    changes_from(page, "test-limit-gain", old)
    problem = example("tanh(x + 1)", "H1 + H2/2 + H3/6 + H4/24")
    assert number(page, "test-limit-gain") == pytest.approx(tc.predict(problem, ell=2).test_gain, rel=1e-5)
    page.locator("#teacher-choice").select_option("H1")
    assert page.locator("#teacher").input_value() == "H1"


def test_exact_numbers_may_be_typed(visit):
    page = visit()
    settled(page)
    page.locator("#ridge").fill("1e-3")
    page.locator("#alpha").fill("1/10")
    page.locator("#summary-title").filter(has_text="At α = 1/10, in window ℓ = 1").wait_for()
    assert page.locator("#ridge-slider").input_value() == "-3"


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("activation", "rellu", "did you mean 'relu'?"),
        ("teacher", "<img src=x onerror=alert(1)>", ""),
        ("phi", "0", "must be positive"),
        ("alpha", "1/0", "divides by zero"),
        ("n", "many", "is not a number"),
    ],
)
def test_bad_input_is_explained_beside_its_field(visit, field, text, words):
    page = visit()
    settled(page)
    before = page.locator("#test-limit-gain").text_content()
    page.locator(f"#{field}").fill(text)
    error = page.locator(f"#{field}-error")
    error.filter(has_text=re.compile(".+")).wait_for()
    assert words in error.text_content()
    assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
    assert page.locator(f"#{field}").get_attribute("aria-describedby") == f"{field}-error {field}-help"
    place, own = error.bounding_box(), page.locator(f"#{field}").bounding_box()
    assert 0 <= place["y"] - own["y"] < 60
    assert page.locator("#results.stale").count() == 1  # the last good picture stays, dimmed
    assert page.locator("#test-limit-gain").text_content() == before
    assert page.locator("#gain .curve").count() == 2
    assert page.locator("#copy-python").is_disabled()
    assert page.locator("img").count() == 0
    page.locator("#reset").click()
    page.locator("#results:not(.stale)").wait_for()
    assert error.text_content() == ""
    assert page.locator("#copy-python").is_enabled()


def test_a_costly_expression_freezes_nothing(visit):
    page = visit()
    settled(page)
    page.locator("#activation").fill("sin(exp(x)) + x")
    page.locator("#results.stale").wait_for()
    page.locator("#activation").fill("gelu")
    page.locator("#summary-note").filter(has_text="gelu").wait_for()
    settled(page)
    assert page.locator("#page-error").text_content() == ""


def test_a_step_of_the_staircase_leads_to_its_window(visit):
    page = visit()
    settled(page)
    page.locator("#staircase .hit").nth(2).click()
    page.locator("#at-ell").filter(has_text="ℓ = 3").wait_for()
    assert 1 / 3 < float(page.locator("#alpha").input_value()) < 3 / 8


def test_where_there_is_no_limit_the_rest_is_shown(visit):
    page = visit({"alpha": "1/4"})
    page.locator("#warnings").filter(has_text="is on the boundary 1/4").wait_for()
    page.locator("#gain .curve:not(.stale)").first.wait_for(state="attached")
    assert page.locator("#test-limit-gain").text_content() == "–"
    page.locator("#test-finite-gain").filter(has_text=re.compile(r"\d")).wait_for()
    page.locator("#formulas .note").filter(has_text="boundary").wait_for()


def test_outliers_follow_when_a_slider_rests(visit):
    page = visit({"alpha": "0.35"})
    settled(page)
    problem = example("relu", "H1 + H2/2 + H3/6 + H4/24")
    for alpha in ("0.35", "0.44"):
        page.locator("#alpha").fill(alpha)
        page.locator("#summary-title").filter(has_text=alpha).wait_for()
        settled(page)
        found = tc.spectrum(problem, n=1000, alpha=alpha)
        shown = [float(text) for text in page.locator("#spectrum .spike-label:not(.stale)").all_text_contents()]
        assert shown == [pytest.approx(place, rel=1e-3) for place in found.outliers]
        edge = page.locator("#spectrum .marker:not(.stale)").get_attribute("data-edge")
        assert float(edge) == found.edge_after


def test_a_link_restores_the_page_and_tells_no_secret(visit, explorer):
    fields = {"activation": "tanh(x + 1)", "teacher": "H1 + H2/sqrt(2)", "phi": "1/3", "alpha": "0.35", "n": "3000"}
    page = visit(fields)
    settled(page)
    link = copied(page, "link")
    assert explorer.token not in link
    assert explorer.token not in page.url
    assert page.url == link
    shown = page.locator("#losses").text_content()
    page.reload()
    settled(page)
    assert page.locator("#losses").text_content() == shown
    another = page.context.new_page()
    another.goto(link)
    settled(another)
    assert another.locator("#losses").text_content() == shown
    assert {name: another.locator(f"#{name}").input_value() for name in fields} == fields
    slide(another, "alpha", 0.1)
    another.locator("#at-ell").filter(has_text="ℓ = 1").wait_for()
    settled(another)
    another.wait_for_url("**alpha=0.1**")


def test_without_the_token_the_page_says_what_to_do(explorer, browser):
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    page.goto(f"{explorer.address}#phi=1")
    page.locator("#page-error").filter(has_text="open the address that theorycalc explore has printed").wait_for()
    assert page.locator("#phi").input_value() == "1"
    context.close()


def test_what_is_copied_gives_the_numbers_shown(visit, capsys):
    fields = {"activation": "tanh(x + 1)", "teacher": "H1 + H2/sqrt(2)", "ridge": "1e-2", "alpha": "0.2"}
    page = visit(fields | {"gradient": "labels"})
    settled(page)
    ids = ("train-limit-gain", "test-limit-gain", "train-limit", "error-limit", "test-limit")
    shown = [
        [pytest.approx(number(page, id.replace("limit", step)), rel=1e-5) for id in ids]
        for step in ("limit", "literal", "finite")
    ]
    run = subprocess.run([sys.executable, "-c", copied(page, "python")], capture_output=True, text=True, check=True)
    assert [[float(x) for x in line.split()] for line in run.stdout.splitlines()] == shown
    values = []
    for line in copied(page, "command").splitlines():
        assert main([*shlex.split(line)[1:], "--csv"]) == 0
        [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
        values.append([float(row[name]) for name in ("train_gain", "test_gain", "train_loss", "test_loss")])
    assert values == [[*row[:3], row[4]] for row in shown]
    latex = copied(page, "latex")
    assert latex.startswith("\\begin{aligned}\n\\Delta_{1} &=")
    assert main(["latex", "Delta", "--ell", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1] in latex


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_or_jumps(visit, width):
    page = visit(width=width)
    settled(page)
    sizes = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert sizes[0] <= sizes[1] == WIDTHS[width][0]
    charts = page.locator(".chart")
    before = [charts.nth(i).bounding_box() for i in range(charts.count())]
    slide(page, "phi", -0.2)
    page.locator("#phi-now").filter(has_text="d = 631").wait_for()
    settled(page)
    assert [charts.nth(i).bounding_box() for i in range(charts.count())] == before
    for box in before:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= sizes[1]
    wide = page.locator("#losses td, #losses th").evaluate_all(
        "(all) => all.filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.textContent)"
    )
    assert wide == []


def test_the_result_is_said(visit):
    page = visit()
    settled(page)
    page.locator("#live").filter(has_text="in window ℓ = 2: Λ = 0.3749 by the theorem, 0.2703 in the limit").wait_for(
        state="attached"
    )


def test_the_server_s_end_is_noticed(browser):
    with running() as explorer:
        context = browser.new_context()
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.goto(explorer.opening({}))
        settled(page)
    slide(page, "phi", 0)
    said = page.locator("#page-error").filter(has_text="start it again with theorycalc explore")
    said.wait_for()
    assert said.is_visible()
    context.close()


def test_labels_and_choices_are_those_of_the_table(visit):
    page = visit()
    page.locator("#gradient legend").wait_for()
    for name in FIELDS:
        shown, parameter = shown_of(name), PARAMETERS[name]
        label = " ".join(page.locator(f"label[for={name}], #{name} > legend").text_content().split())
        words = shown["words"].replace("^", "")
        assert label.lower().startswith(words.lower()), name
        assert parameter.symbol.replace("_", "") in label.replace(" ", ""), name
        assert page.locator(f"#{name}-help").text_content().startswith(parameter.help), name
        if parameter.options is not None:
            choices = page.locator(f"#{name} option, #{name} > label").all_text_contents()
            assert [choice.strip() for choice in choices] == [option.meaning for option in parameter.options]


def test_raw_networks_show_how_much_their_outliers_differ(visit):
    page = visit({"activation": "2 + tanh(x + 1)", "teacher": "H1 + H2/2", "n": "300", "centred": "no"})
    page.locator("#weights .spike-label").wait_for()
    problem = tc.Problem("2 + tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", noise="1/2", centred=False)
    found = tc.weight_spectrum(problem, n=300, alpha="3/10")
    texts = page.locator("#weights svg text").all_text_contents()
    assert any(text == f"± {found.deviations[0]:.2g}" for text in texts)
