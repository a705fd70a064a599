"""The text of figures: words of quantities and parameters, titles of problems, numbers as labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.model.teacher import Teacher
from theorycalc.results.quantities import COLUMNS, axis_words

ELL = r"$\ell$"  # few fonts have the letter, and matplotlib's mathematics always has

#: What an axis says of a quantity: plain words, and the symbol where there is one.
QUANTITIES = {name: axis_words(name) for name in COLUMNS}

#: Symbols that few fonts have, as matplotlib's mathematics writes them.
_MATHEMATICS = ("noise", "ell", "c1", "c_rest", "step_samples")


_LONGEST_NAME = 22  # characters of an activation or a teacher in a title


def parameter_words(name: str) -> str:
    """Return the words of a parameter.

    >>> parameter_words("ridge"), parameter_words("first_layer")
    ('λ, ridge (weight decay)', 'first layer')
    """
    if name not in PARAMETERS:
        return name.replace("_", " ")
    return PARAMETERS[name].label.replace(PARAMETERS[name].symbol, symbol_of(name), 1)


def symbol_of(name: str) -> str:
    r"""Return the symbol of a parameter, in any font.

    >>> symbol_of("phi"), symbol_of("noise")
    ('φ', '$\\sigma_{\\varepsilon}$')
    """
    parameter = PARAMETERS[name]
    return f"${parameter.latex}$" if name in _MATHEMATICS else parameter.symbol


def plain(text: str) -> str:
    r"""Return a text so that matplotlib shows it as it is, in any font.

    >>> plain("cost in $")
    'cost in \\$'
    """
    return text.replace("$", r"\$").replace("ℓ", ELL)


def subject(problem: Problem) -> str:
    """Return the activation and the teacher of a problem, as a title names them.

    >>> from theorycalc import Problem
    >>> subject(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"))
    'relu, teacher $H_{1}$ + $H_{2}$/2'
    """
    return f"{activation_words(problem.activation)}, teacher {teacher_words(problem.teacher)}"


def activation_words(activation: Activation) -> str:
    """Return the name of an activation, short enough for a title."""
    return plain(_short(activation.name))


def teacher_words(teacher: Teacher) -> str:
    """Return the formula of a teacher, or its first coefficients, short enough for a title."""
    if teacher.name is None:
        listed = ", ".join(f"{float(c):.3g}" for c in teacher.coefficients[:3])
        return f"[{listed}{', …' if len(teacher.coefficients) > 3 else ''}]"
    return re.sub(r"\b([Ht])(\d+)", r"$\1_{\2}$", plain(_short(teacher.name)))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def case_title(problem: Problem) -> str:
    """Return the problem in two lines: activation and teacher, then the numbers."""
    return f"{subject(problem)}\n{numbers_of(problem)}"


def numbers_of(problem: Problem, without: Sequence[str] = ()) -> str:
    """Return φ, ψ, λ and, if there is noise, σ_ε as text, ``without`` some of them."""
    names = ["phi", "psi", "ridge", *(["noise"] if float(problem.noise) else [])]
    return ", ".join(f"{symbol_of(x)} = {number_label(float(getattr(problem, x)))}" for x in names if x not in without)


def number_label(value: float) -> str:
    r"""Return a number as a label has it: few digits, powers of ten as powers.

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
    """Refuse infinite numbers, which cannot be drawn: losses and gains are infinite at λ = 0, N = n."""
    import numpy as np

    for name in names:
        if not np.isfinite(np.asarray(getattr(result, name), dtype=float)).all():
            raise DomainError(f"{name} is infinite, and cannot be drawn; with ridge > 0 it is finite", argument="ridge")
