"""LaTeX: golden files, the paper's notation, and two typesetters that must accept every string."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from tests.formulas import GOLDEN, LARGEST, golden, typeset
from tests.helpers.problems import problem as example
from tests.helpers.typesetters import katex_errors, latex_errors
from theorycalc.functions.evaluate import to_sympy
from theorycalc.functions.grammar import parse
from theorycalc.functions.primitives import NAMED, activation_names

S = tc.symbolic


@pytest.fixture(scope="module")
def displays() -> list[str]:
    """Every formula at ℓ ≤ 6, every plain expression, and the formulas of all named activations."""
    texts = [text for ell in range(1, LARGEST + 1) for text in typeset(ell).values()]
    plain = [S.Delta, S.Lambda, S.train_loss, S.test_loss, S.Omega, S.Omega_inverse, S.r, S.window, S.xi_matrix, S.H]
    texts += [tc.latex(quantity(ell)) for quantity in plain for ell in range(1, LARGEST + 1)]
    texts += [tc.latex(thing) for thing in (S.trace_equations(), S.slopes(), S.quartic(), S.direction(), S.window())]
    texts += [tc.latex(to_sympy(parse(name))) for name in activation_names() if _has_defaults(name)]
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", first_layer="gaussian")
    texts += [tc.latex(S.Lambda(3, problem)), tc.latex(S.direction(problem))]
    for network in ("theorem", "literal"):
        texts += [tc.latex(problem, unfold, ell=3, network=network) for unfold in (False, True)]
        texts += [tc.latex(S.train_loss(4, network=network)), tc.latex(S.train_error(2, problem, network=network))]
    texts.append(tc.latex(S.slope_variance**2 / S.tau))
    return texts


def _has_defaults(name: str) -> bool:
    return name not in NAMED or None not in dict(NAMED[name].parameters).values()


@pytest.mark.slow
@pytest.mark.slow
def test_amsmath_compiles_every_formula(displays, tmp_path):
    assert len(displays) > 300
    assert latex_errors(displays, tmp_path) == []


@pytest.mark.slow
def test_katex_renders_every_formula(displays):
    assert katex_errors(displays) == []


def test_the_typesetters_would_notice(tmp_path):
    wrong = [r"\frac{1}{2", r"\nosuchcommand"]
    assert latex_errors([wrong[1]], tmp_path)
    assert [text for text, _ in katex_errors(wrong)] == wrong


@pytest.mark.slow
def test_golden_files_hold_what_is_written():
    written = golden()
    stored = {path.stem: path.read_text(encoding="utf-8").rstrip("\n") for path in GOLDEN.glob("*.tex")}
    assert stored == written, "look at the difference; python -m tests.formulas writes the files anew"


def test_the_papers_notation():
    text = tc.latex(S.formula("Delta", 3, form="matrix"))
    for letters in (
        r"c_{\star,p}",
        r"\Omega_{i,j}",
        r"\xi_{i,p}",
        r"\kappa^{\frac{i + j}{2}}",
        "r_{p}",
        r"\sigma_{\varepsilon}",
    ):
        assert letters in text
    assert r"\ell" in tc.latex(S.window())
    assert r"H_{3}(x)" in tc.latex(S.formula("H", 3))
    assert "m_1" in tc.latex(S.Delta(3))


def test_a_display_defines_every_part_once():
    indices = [
        ("Delta", 0),
        ("Delta", 4),
        ("Lambda", 0),
        ("Lambda", 1),
        ("Lambda", 4),
        ("test_loss", 0),
        ("test_loss", 3),
    ]
    for name, index in (*indices, ("slopes", None), ("reduced_equation", None)):
        formula = S.formula(name, index)
        defined = [line.left for line in (*formula.statement, *formula.where) if not line.left.is_number]
        assert len(defined) == len(set(defined))
        given = {"phi", "psi", "lambda", "c_1", "c_rest", "c_star", "noise", "m_1", "m_2"}
        used = set().union(*(line.right.free_symbols for line in (*formula.statement, *formula.where)))
        left = {str(s) for s in used - set(defined)}
        assert all(s in given or s.startswith("c_star_") for s in left), left
        used |= set().union(*(line.left.free_symbols for line in formula.statement if line.right == 0))
        assert {line.left for line in formula.where if not line.left.is_number} <= used, "defined, but not used"


def test_notebooks_show_formulas_and_expressions_in_the_same_letters():
    assert r"c_{\star,2}" in S.Delta(2)._repr_latex_()
    assert r"\sigma_{\varepsilon}" in S.train_loss()._repr_latex_()
    assert r"\Delta_{2}" in S.formula("Delta", 2)._repr_latex_()
    assert "m_1" in S.trace_equations()._repr_latex_()


@pytest.mark.parametrize("thing", ["Delta", 3, None, object(), [1, 2]])
def test_latex_refuses_what_it_cannot_write(thing):
    with pytest.raises(tc.ArgumentError, match=r"latex\(\) takes a sympy object, a formula or a Problem"):
        tc.latex(thing)


def test_unfold_is_for_formulas():
    with pytest.raises(tc.ArgumentError, match="unfold=True is for a formula"):
        tc.latex(S.Delta(2), unfold=True)


RELU = example("relu", "H1 + H2/sqrt(2) + H3/9")


@pytest.mark.parametrize(
    ("name", "ell", "spikes"),
    [("relu", 3, (1, 2)), ("tanh", 3, (1, 3)), ("x + x**4/9", 4, (1, 2, 4)), ("erf", 2, (1,))],
)
@pytest.mark.parametrize("network", [{}, {"network": "literal"}, {"network": "literal", "gradient": "labels"}])
def test_a_problem_is_written_with_its_own_spikes_and_values(name, ell, spikes, network):
    """The formula is that of K, and gives the value beside it: both come from the same problem."""
    problem = example(name, "H1 + H2/sqrt(2) + H3/9 + H4/50")
    shown = tc.latex(problem, ell=ell, digits=20, **network).splitlines()
    found = tc.predict(problem, ell=ell, digits=20, **network)
    assert found.spikes == spikes
    for letter, gain in (("Delta", found.train_gain), ("Lambda", found.test_gain)):
        formula = tc.latex(S.formula(letter, ell, spikes=spikes, **network)).splitlines()
        statement, *where = [line.removesuffix(r" \\").removeprefix(r"\text{where}\quad ") for line in formula[1:-1]]
        assert any(line.startswith(rf"{statement} \approx {gain}") for line in shown), statement
        assert [line for line in where if not any(line in other for other in shown)] == []
        value = getattr(S, letter)(ell, problem, digits=30, **network)
        assert abs(value - sp.Float(str(gain), 30)) < abs(value) * 1e-19
    for symbol, value in (("m_1", found.m1), ("m_2", found.m2)):
        assert any(line.startswith(rf"{symbol} &\approx {value}") for line in shown)


def test_the_values_of_a_problem_in_floats():
    problem = tc.Problem("relu", [1.0, 0.5], 0.5, 0.6, 0.1)
    shown = tc.latex(problem, ell=2)
    assert rf"\approx {sp.Float(tc.predict(problem, ell=2).test_gain, 6)} \\" in shown
    unfolded = tc.latex(problem, True, ell=2)
    assert r"\text{where}" not in unfolded
    assert unfolded.count(r"\approx") == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tc.latex(RELU), "needs ell="),
        (lambda: tc.latex(RELU, ell="inf"), "ell='inf'"),
        (lambda: tc.latex(RELU, ell=2, network="real"), "network='real' is not known"),
        (lambda: tc.latex(RELU, ell=2, gradient="residual"), "add network='literal'"),
        (lambda: tc.latex(tc.Problem("relu", ["1"], "1/2", "2/3", 0), ell=2), "ridge=0: the formulas are for λ > 0"),
        (lambda: tc.latex(tc.Problem("relu", ["1"], 0.5, "2/3", "1"), ell=2, digits=20), "phi='0.5'"),
        (lambda: tc.latex(S.Delta(2), ell=2), "ell= is for a problem"),
        (lambda: tc.latex(S.formula("Delta", 2), network="literal"), "network= is for a problem"),
    ],
)
def test_what_a_problem_needs_is_said(call, words):
    with pytest.raises(tc.TheoryError) as error:
        call()
    assert words in str(error.value)
