"""What figures say: the words of quantities and parameters, the title of a problem, numbers as labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from theorycalc.errors import DomainError
from theorycalc.model.parameters import PARAMETERS

ELL = r"$\ell$"  # few fonts have the letter, and matplotlib's mathematics always has

#: What an axis says of a quantity: plain words, and the symbol where there is one.
QUANTITIES = {
    "test_gain": "test loss gained, Λ",
    "train_gain": "training loss gained, Δ",
    "test_loss": "test loss",
    "train_loss": "training loss, with penalty",
    "train_error": "training error, no penalty",
    "test_loss_initial": "test loss before the step",
    "train_loss_initial": "training loss before the step",
    "train_error_initial": "training error before the step",
    "m1": "trace $m_1$",
    "m2": "trace $m_2$",
    "m1_slope": r"slope $\partial m_1/\partial\lambda$",
    "m2_slope": r"slope $\partial m_2/\partial\lambda$",
    "kappa": r"squared length of the gradient, κ",
    "rho": "alignment of gradient and teacher, ρ",
    "error": "relative error of the numerics",
    "converged": "1: converged, 0: not",
}

#: Symbols that few fonts have, as matplotlib's mathematics writes them.
_MATHEMATICS = ("noise", "ell", "c1", "c_rest", "step_samples")


_LONGEST_NAME = 22  # characters of an activation or a teacher in a title


def quantity_words(name: str) -> str:
    """Return the words of a quantity.

    >>> quantity_words("test_gain"), quantity_words("some_number")
    ('test loss gained, Λ', 'some number')
    """
    return QUANTITIES.get(name, name.replace("_", " "))


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


def subject(problem: Any) -> str:
    """Return the activation and the teacher of a problem, as a title names them.

    >>> from theorycalc import Problem
    >>> subject(Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"))
    'relu, teacher $H_{1}$ + $H_{2}$/2'
    """
    return f"{activation_words(problem.activation)}, teacher {teacher_words(problem.teacher)}"


def activation_words(activation: Any) -> str:
    """Return the name of an activation, short enough for a title."""
    return plain(_short(activation.name))


def teacher_words(teacher: Any) -> str:
    """Return the formula of a teacher, or its first coefficients, short enough for a title."""
    if teacher.name is None:
        listed = ", ".join(f"{float(c):.3g}" for c in teacher.coefficients[:3])
        return f"[{listed}{', …' if len(teacher.coefficients) > 3 else ''}]"
    return re.sub(r"\bH(\d+)", r"$H_{\1}$", plain(_short(teacher.name)))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def case_title(problem: Any) -> str:
    """Return the problem in two lines: activation and teacher, then the numbers."""
    return f"{subject(problem)}\n{numbers_of(problem)}"


def numbers_of(problem: Any, without: Sequence[str] = ()) -> str:
    """Return φ, ψ, λ and, if there is noise, σ_ε, but those that are not wanted."""
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


def check_drawable(result: Any, names: Sequence[str]) -> None:
    """Refuse numbers that have no place on paper: losses and gains are infinite at λ = 0, N = n."""
    import numpy as np

    for name in names:
        if not np.isfinite(np.asarray(getattr(result, name), dtype=float)).all():
            raise DomainError(f"{name} is infinite, and cannot be drawn; with ridge > 0 it is finite")
