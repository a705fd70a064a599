"""The explorer's page for everybody: names, contrast, the keyboard alone, narrow windows, and slow work at a button."""

from __future__ import annotations

import re

import pytest

from tests.helpers.explorer import settled
from tests.helpers.typesetters import ROOT, missing

pytestmark = pytest.mark.slow

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: Windows of 1400, 1024, 768 and 390 pixels, and those that they are at a zoom of 200 %.
WIDTHS = (1400, 1024, 768, 390, 700, 512, 384, 195)
STATES = {
    "first": {},
    "signs": {"n": "60", "teacher": "sign(x)", "noise": "0", "flip_fit": "1/10"},
    "huge": {"n": "1e15"},
    "error": {"activation": "tanh(x) + where(x > 1, tanh(x), x) + tanh(x + 1)*rellu(x) + sin(x) + cos(2*x)"},
    "long": {"activation": " + ".join(f"tanh({k}*x)" for k in range(1, 40)), "inputs": "3:1/4:3/4, 1/3:3/4:1/4"},
}
OVERFLOWING = """() => [...document.querySelectorAll("body *")].filter((x) => {
  if (x.closest("svg, #formula-lines, .hidden, option")) return false;
  if (x.matches("code") && innerWidth < 300) return false; // a line with its caret stays whole, and scrolls by itself
  const box = x.getBoundingClientRect();
  const inside = x.matches("select, input[type=text]") ? 0 : x.scrollWidth - x.clientWidth;
  return box.width && (box.right > innerWidth + 1 || box.left < -1 || (x.clientWidth && inside > 1));
}).map((x) => `${x.tagName}#${x.id}.${x.className}`)"""


def opened(visit, fields, **options):
    """Open the page with every fold open, once it shows its numbers or its error."""
    page = visit(fields, **options)
    page.locator("#losses td").filter(has_text=re.compile(r"\d")).or_(
        page.locator(".error:not(:empty)")
    ).first.wait_for(state="attached")
    page.locator("#initialisation option").first.wait_for(state="attached")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["first", "signs", "error"])
def test_axe_finds_nothing(visit, state, scheme):
    """Names, roles, contrast and target sizes, by axe-core."""
    if not AXE.exists():
        missing("axe-core", "npm install --no-package-lock")
    page = opened(visit, STATES[state])
    page.emulate_media(color_scheme=scheme)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("(rules) => axe.run(document, {runOnly: rules})", RULES)
    wrong = [
        (one["id"], node["target"], node["failureSummary"]) for one in found["violations"] for node in one["nodes"]
    ]
    assert wrong == []
    assert len(found["passes"]) > 20


@pytest.mark.parametrize("state", STATES)
def test_nothing_is_clipped_or_scrolls_sideways(visit, state):
    page = opened(visit, STATES[state])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OVERFLOWING) == [], width


def test_every_figure_and_every_control_has_a_name(visit):
    page = opened(visit, {})
    settled(page)
    pictures = page.locator("svg")
    assert pictures.count() == page.locator("figure").count() == 5
    for i in range(5):
        picture = pictures.nth(i)
        assert picture.get_attribute("role") == "img"
        for what in ("aria-labelledby", "aria-describedby"):
            assert len(page.locator(f"#{picture.get_attribute(what)}").text_content()) > 8
    nameless = page.locator("input, select, textarea, button, progress").evaluate_all(
        "(all) => all.filter((x) => !(x.labels?.length || x.ariaLabel || x.textContent.trim())).map((x) => x.id)"
    )
    assert nameless == []
    assert page.locator("[id]").evaluate_all("(all) => all.length === new Set(all.map((x) => x.id)).size")


def test_the_keyboard_reaches_everything_in_order(visit):
    page = visit()
    settled(page)
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        seen = page.evaluate("""() => {
          const x = document.activeElement;
          const style = getComputedStyle(x);
          return [x.id || x.name || x.tagName, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
        }""")
        if seen[0] == "BODY":
            break
        assert seen[1], f"{seen[0]} has no visible focus"
        reached.append(seen[0])
    expected = [
        "activation", "activation-choice", "teacher", "teacher-choice", "eta", "alpha-slider", "alpha", "n-slider", "n",
        "phi-slider", "phi", "psi-slider", "psi", "ridge-slider", "ridge", "noise-slider", "noise", "gradient",
        "intercept", "centred", "initialisation", "SUMMARY", "SUMMARY", "reset", "copy-link", "copy-python",
        "copy-command", "copy-latex", "conditions-count", "BUTTON",
        "staircase-cursor", "gain-cursor", "spectrum-cursor", "weights-cursor",
        "path-cursor", "formula-lines",
    ]  # fmt: skip
    assert reached == expected


def test_help_comes_with_the_focus_and_goes_with_escape(visit):
    page = visit()
    settled(page)
    help_ = page.locator("#ridge-help")
    assert not help_.is_visible()
    page.locator("#ridge").focus()
    assert help_.is_visible()
    page.keyboard.press("Escape")
    assert not help_.is_visible()
    page.locator("label[for=phi]").hover()
    page.locator("#psi").focus()
    assert page.locator("#phi-help").is_visible()


def test_a_figure_is_read_and_a_step_is_chosen_by_keyboard(visit):
    page = visit()
    settled(page)
    page.locator("#staircase-cursor").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    gains = re.search(r"Λ (\S+) by the theorem", page.locator("#staircase-read").text_content())
    assert page.locator("#staircase-cursor").get_attribute("aria-valuetext").startswith("ℓ = 3: Δ 0.199, Λ")
    assert float(gains[1]) == pytest.approx(0.375, abs=1e-9)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#at-ell").filter(has_text="ℓ = 3").wait_for()
    for name in ("gain", "spectrum", "weights", "path"):
        page.locator(f"#{name}-cursor").focus()
        page.keyboard.press("End")
        assert re.search(r"\d", page.locator(f"#{name}-read").text_content())


def test_a_caret_stands_under_the_column_in_a_fixed_width_font(visit):
    page = visit(STATES["error"])
    code = page.locator("#activation-error code")
    code.wait_for()
    text, caret = code.text_content().split("\n")
    assert text[caret.index("^") :].startswith("rellu")
    style = code.evaluate("(x) => [getComputedStyle(x).fontFamily, getComputedStyle(x).whiteSpace]")
    assert "mono" in style[0].lower()
    assert style[1] == "pre"
    assert code.evaluate("(x) => x.scrollWidth <= x.clientWidth")
    assert "did you mean 'relu'" in page.locator("#activation-error").text_content()


def test_few_samples_are_warned_of_beside_the_numbers(visit):
    page = visit({"n": "99"})
    settled(page)
    assert page.locator("#losses thead").get_by_text("small n, rough").is_visible()
    assert page.locator("#n-now").text_content() == "! few: rough"
    page.locator("#n").fill("100")
    page.locator("#which").filter(has_text="n = 100 samples").wait_for()
    assert not page.locator("#few").is_visible()
    assert page.locator("#n-now").text_content() == ""


def test_networks_are_trained_at_a_button_and_stopped_by_it(visit):
    asked = []
    page = visit({"n": "200"})
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    settled(page)
    assert "simulate" not in asked
    button = page.locator("#simulate-slow button")
    assert button.text_content() == "Train 20 networks"
    button.press("Enter")
    page.locator("#simulated tbody tr").first.wait_for()
    if button.text_content() == "Stop":
        button.press("Enter")
        assert page.locator("#simulate-slow").get_by_role("status").text_content() == "Stopped."
    button.press("Enter")
    page.locator("#simulated").filter(has_text="20 of 20 networks. ").wait_for()
    page.locator("#simulate-slow button").filter(has_text="Train").wait_for()
    assert not page.locator("#simulate-slow progress").is_visible()
    page.locator("#copy-python").click()
    page.locator("#copied").filter(has_text="is on the clipboard").wait_for()
    assert "run = tc.simulate(problem, n=200, alpha='3/10')" in page.evaluate("navigator.clipboard.readText()")
    page.locator("#alpha").fill("1/5")
    page.locator("#simulated").filter(has_text="These are of the values before.").wait_for()
    button.press("Enter")
    page.locator("#alpha").fill("1/6")
    page.locator("#simulate-slow").filter(has_text="Stopped: the problem has changed.").or_(
        page.locator("#simulate-slow button").filter(has_text="Train")
    ).first.wait_for()


def test_what_takes_long_waits_for_its_button(visit, explorer):
    lane = explorer.lanes["steady"]
    page = visit({"n": "500"})
    settled(page)
    assert not page.locator("#curve-slow").is_visible()
    lane._unasked = 1e-3
    try:
        page.locator("#phi").fill("1/3")
        page.locator("#curve-slow button").wait_for()
        page.locator("#finite-slow button").wait_for()
        page.locator("#warnings").filter(has_text="start it with its button").wait_for()
    finally:
        lane._unasked = None
    page.locator("#finite-slow button").press("Enter")
    page.locator("#test-finite-gain:not(.stale)").filter(has_text=re.compile(r"\d")).wait_for()
    page.locator("#curve-slow button").press("Enter")
    page.locator("#gain .curve:not(.stale)").first.wait_for(state="attached")


def test_an_initialisation_fills_the_scales(visit):
    page = opened(visit, {})
    page.locator("#initialisation").select_option("torch")
    page.wait_for_url("**second_layer=uniform**")
    assert page.locator("#first_scale").input_value() == "sqrt(3)/3"
    page.locator("#initialisation-note").filter(has_text="torch.nn.Linear as it comes").wait_for()
    page.locator("#first_scale").fill("2")
    page.locator("#initialisation-note").filter(has_text="scales and laws below").wait_for()
    assert page.locator("#initialisation").input_value() == ""
