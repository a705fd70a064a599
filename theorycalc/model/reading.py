"""activation(): what a user may write or pass for an activation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from theorycalc.errors import DomainError, about
from theorycalc.functions.library import LARGEST_INDEX
from theorycalc.model.activation import Activation
from theorycalc.model.moments import by_index
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import read


@checked_call
@about("given")
def activation(given: object) -> Activation:
    """Return the activation that text writes, a function is, or Hermite coefficients {k: c_k} make.

    Text is a name or a formula: "relu", "elu(alpha=2)", "tanh(x + 1)".  Of well-known functions, such as numpy.tanh or
    torch.relu, the formula is known; any other function is sampled, and what follows from it is an estimate.

    >>> act = activation("gelu")
    >>> act.parity, act.spikes(6), act.guarantee
    (None, (1, 2, 4, 6), 'enclosed')
    >>> activation(lambda x: x + x**2).guarantee, activation({1: 1, 2: "1/2"}).present
    ('estimated', (1, 2))
    """
    if isinstance(given, (str, Activation)):
        return given if isinstance(given, Activation) else Activation.from_text(given)
    if isinstance(given, Mapping):
        return _polynomial(given)
    if not callable(given):
        raise DomainError(
            f"activation={given!r} is not an activation; write its name or formula, pass a function or Hermite "
            "coefficients such as {1: 1, 2: '1/2'}, or make one with Activation.from_moments(c1=…, c_rest=…)",
            argument="activation",
        )
    from theorycalc.model.recognised import recognised
    from theorycalc.model.written import read_formula

    known = recognised(given)
    if known is None:
        return Activation.from_callable(given)
    return replace(read_formula(known.formula), origin=known.name)


def _polynomial(given: Mapping[int, object]) -> Activation:
    """Return Σ c_k H_k: as a formula, which a network can compute, where its coefficients are rational."""
    mean, listed = by_index(given, "coefficients")
    values = [read(c, f"c_{k}") for k, c in enumerate([mean, *listed])]
    rational = [(k, c) for k, c in enumerate(values) if isinstance(c, Fraction) and c]
    if len(rational) != sum(c != 0 for c in values) or not 0 < len(values) - 1 <= LARGEST_INDEX or not rational:
        return Activation.from_coefficients(given)
    terms = [f"{'-' if c < 0 else '+'} {'' if abs(c) == 1 else f'{abs(c)}*'}H{k}" for k, c in rational]
    return Activation.from_text(" ".join(terms).removeprefix("+ "))
