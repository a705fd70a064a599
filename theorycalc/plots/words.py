"""The text of figures: names of quantities and parameters, titles of problems, numbers as labels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.enums import GradientTarget
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.model.teacher import Teacher
from theorycalc.results.quantities import COLUMNS, axis_words

ELL = r"$\ell$"  # few fonts have the letter, and matplotlib's mathematics always has

#: What an axis says of a quantity: plain words, and the symbol where there is one.
QUANTITIES = {name: axis_words(name) for name in COLUMNS}

#: Symbols that few fonts have, as matplotlib's mathematics writes them.
_MATHEMATICS = ("noise", "ell", "c1", "c_rest", "step_samples")


_LINE = 46  # characters of a title's line, so that it fits the width of a column
#: Options of a problem in a word or two; those without are shown by symbol and value.
_OPTIONS = {"intercept": "intercept", "centred": "σ not centred", "centred_labels": "labels not centred"}
_LAYERS = {"first_layer": "first layer", "second_layer": "second layer"}
#: What is mathematics in our words: a Greek letter or one that stands alone, perhaps with a power or an index.
_LETTER = r"(?:[Α-Ωα-ωℓ]|(?<![\w'])[ndNTtxzkh](?![\w']))"
_SYMBOL = re.compile(rf"({_LETTER})(?:\^({_LETTER}|\d+))?")
_SET = re.compile(r"((?<!\\)\$.*?(?<!\\)\$)")
_INDEXED = re.compile(r"\b([Ht])(\d+)")
_GREEK = {"φ": r"\phi", "ℓ": r"\ell", "ε": r"\varepsilon"}  # whose names are not those of unicode


def parameter_words(name: str) -> str:
    """Return a parameter in words.

    >>> parameter_words("ridge"), parameter_words("first_layer")
    ('λ, ridge (weight decay)', 'first layer')
    """
    if name not in PARAMETERS:
        return name.replace("_", " ")
    return PARAMETERS[name].label.replace(PARAMETERS[name].symbol, symbol_of(name), 1)


def symbol_of(name: str) -> str:
    r"""Return a parameter's symbol, in any font.

    >>> symbol_of("phi"), symbol_of("noise")
    ('φ', '$\\sigma_{\\varepsilon}$')
    """
    parameter = PARAMETERS[name]
    return f"${parameter.latex}$" if name in _MATHEMATICS else parameter.symbol


def plain(text: str) -> str:
    r"""Return text escaped so that matplotlib shows it unchanged, in any font.

    >>> plain("cost in $")
    'cost in \\$'
    """
    return text.replace("$", r"\$").replace("ℓ", ELL)


def typeset(text: str) -> str:
    r"""Return our words with every symbol in matplotlib's mathematics, so that a letter looks the same everywhere.

    >>> typeset("step η = n^α at n = 500, $H_1$")
    'step $\\eta$ = $n^{\\alpha}$ at $n$ = 500, $H_1$'
    """
    parts = _SET.split(text)
    return "".join(part if i % 2 else _SYMBOL.sub(_mathematics, part) for i, part in enumerate(parts))


def _mathematics(match: re.Match[str]) -> str:
    base, power = (None if part is None else _letter(part) for part in match.groups())
    return f"${base}$" if power is None else f"${base}^{{{power}}}$"


def _letter(letter: str) -> str:
    if letter in _GREEK or letter.isascii():
        return _GREEK.get(letter, letter)
    name = unicodedata.name(letter).split()[-1].lower().replace("lamda", "lambda")
    return f"\\{name.capitalize() if letter.isupper() else name}"


def subject(problem: Problem) -> str:
    """Return the activation and teacher of a problem as a title names them, with its options on the next line.

    >>> from theorycalc import Problem
    >>> subject(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"))
    'relu, teacher $H_{1}$ + $H_{2}$/2'
    >>> subject(Problem("relu", "H1", "1/2", "2/3", "1/10", intercept=True, centred=False)).splitlines()[1]
    'intercept, σ not centred'
    """
    name, taught = plain(problem.activation.name), f"teacher {_taught(problem.teacher)}"
    one_line = len(name) + len(taught) < _LINE
    lines = [f"{name}, {taught}"] if one_line else [_short(f"{name},"), _short(taught)]
    return "\n".join([*map(_indexed, lines), *_wrapped(option_labels(problem))])


def option_labels(problem: Problem) -> list[str]:
    """Return the options of a problem that differ from their defaults, in the short form of titles.

    >>> from theorycalc import Problem
    >>> option_labels(Problem("relu", "H1", 1, 1, 1, first_layer="gaussian", first_scale=2, steps=3))
    ['gaussian first layer', '$g_w$ = 2', '$T$ = 3']
    """
    found = []
    for name, value in problem.options.items():
        if name in _LAYERS:
            found.append(f"{value} {_LAYERS[name]}")
        else:
            shown = plain(str(getattr(value, "words", value)))
            found.append(_OPTIONS.get(name) or f"${PARAMETERS[name].latex}$ = {shown}")
    if problem.step_samples is not None:
        found.append(f"$n_0/n$ = {plain(str(problem.step_ratio))}")
    return found


def gradient_label(gradient: str) -> str:
    """Return the words that a title adds for a step on the labels alone.

    >>> gradient_label("labels"), gradient_label("residual")
    (', step on the labels', '')
    """
    return ", step on the labels" if gradient == GradientTarget.LABELS else ""


def _wrapped(words: Sequence[str]) -> list[str]:
    """Return words broken into lines, separated by commas."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) < _LINE:
            lines[-1] += f", {word}"
        else:
            lines[-1:] = [*(f"{line}," for line in lines[-1:]), word]
    return lines


def activation_words(activation: Activation) -> str:
    """Return the name of an activation, short enough for a title."""
    return _indexed(_short(plain(activation.name)))


def teacher_words(teacher: Teacher) -> str:
    """Return the formula of a teacher, or its first coefficients, short enough for a title."""
    return _indexed(_short(_taught(teacher)))


def _taught(teacher: Teacher) -> str:
    if teacher.name is not None:
        return plain(teacher.name)
    listed = ", ".join(f"{float(c):.3g}" for c in teacher.coefficients[:3])
    return f"[{listed}{', …' if len(teacher.coefficients) > 3 else ''}]"


def _indexed(text: str) -> str:
    r"""Return H_1, t_2 and roots of whole numbers as mathematics.

    >>> _indexed("H1 + H2/sqrt(2)")
    '$H_{1}$ + $H_{2}$/$\\sqrt{2}$'
    """
    return re.sub(r"\bsqrt\((\d+)\)", r"$\\sqrt{\1}$", _INDEXED.sub(r"$\1_{\2}$", text))


def _short(name: str) -> str:
    return name if len(name) <= _LINE else f"{name[: _LINE - 1]}…"


def case_title(problem: Problem) -> str:
    """Return the problem in two lines: activation and teacher, then its numbers."""
    return f"{subject(problem)}\n{numbers_of(problem)}"


def numbers_of(problem: Problem, without: Sequence[str] = ()) -> str:
    """Return φ, ψ, λ and, if there is noise, σ_ε as text, except those in ``without``."""
    names = ["phi", "psi", "ridge", *(["noise"] if float(problem.noise) else [])]
    return ", ".join(f"{symbol_of(x)} = {number_label(float(getattr(problem, x)))}" for x in names if x not in without)


def number_label(value: float) -> str:
    r"""Return a number as labels show it: few digits, and powers of ten as powers.

    >>> number_label(0.25), number_label(1e-6), number_label(2000), number_label(3e5)
    ('0.25', '$10^{-6}$', '2000', '$3 \\times 10^{5}$')
    """
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.4g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    power = f"10^{{{int(exponent)}}}"
    digits = mantissa.rstrip("0").rstrip(".")
    return f"${power}$" if digits == "1" else rf"${digits} \times {power}$"


def check_drawable(result: object, names: Sequence[str]) -> None:
    """Refuse infinite numbers, which cannot be drawn: losses and gains are infinite for λ = 0 and N = n."""
    import numpy as np

    for name in names:
        if not np.isfinite(np.asarray(getattr(result, name), dtype=float)).all():
            raise DomainError(f"{name} is infinite, and cannot be drawn; with ridge > 0 it is finite", argument="ridge")
