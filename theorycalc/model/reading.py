"""activation(): what a user may write or pass for an activation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from theorycalc.errors import DomainError, about, checked_call
from theorycalc.model.activation import Activation


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
        return Activation.from_coefficients(given)
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
