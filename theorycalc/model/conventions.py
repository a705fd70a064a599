"""Conversions between our conventions and those of papers and libraries: penalties, learning rates and layers.

Ours: the step is −η∂L/∂W with L = (1/2n)‖y − f‖², the fit minimises (1/n)‖y − Fa‖² + λ‖a‖², F = σ(XWᵀ), rows of W₀ are
g_w long, and √N a has the standard deviation g_a.  See docs/conventions.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from theorycalc.errors import ArgumentError, DomainError, one_of
from theorycalc.model.enums import Option
from theorycalc.model.initialisations import Entries, Layers, entries_of, layers_from, layers_of
from theorycalc.model.points import read_scalar
from theorycalc.model.signatures import P, R, checked_call
from theorycalc.model.torch_networks import TorchNetwork, network_of
from theorycalc.numbers.exact import NumberLike, Scalar, read_rational, whole

__all__ = [
    "Entries", "Layers", "TorchNetwork", "decay_from", "entries_of", "eta_from", "layers_from", "layers_of", "lr_from",
    "network_of", "ridge_from", "ridge_from_decay", "ridge_to",
]  # fmt: skip

_NO_PENALTY = ": a ridge penalty is not negative"


class Convention(NamedTuple):
    """One way to write the penalty: the sizes that it needs, and our λ."""

    words: str
    needs: tuple[str, ...]
    ours: Callable[..., Scalar]


CONVENTIONS = {
    "mean": Convention("ours: (1/n)‖y − Fa‖² + λ‖a‖²", (), lambda lam: lam),
    "sum": Convention("scikit-learn's Ridge: ‖y − Fa‖² + λ‖a‖²", ("n",), lambda lam, n: lam / n),
    "half_sum": Convention("½‖y − Fa‖² + (λ/2)‖a‖²", ("n",), lambda lam, n: lam / n),
    "mean_scaled_features": Convention(  # λN in ours
        "(1/n)‖y − Fa/√N‖² + λ‖a‖²", ("n", "phi", "psi"), lambda lam, n, phi, psi: lam * n * phi / psi
    ),
    "sum_scaled_features": Convention(  # λN/n in ours
        "Adlam–Pennington, Cui et al.: ‖y − Fa/√N‖² + λ‖a‖²", ("phi", "psi"), lambda lam, phi, psi: lam * phi / psi
    ),
    "mei_montanari": Convention("Mei–Montanari: (1/n)‖y − Fa‖² + (N/d)λ‖a‖²", ("psi",), lambda lam, psi: lam / psi),
}


@checked_call
def ridge_from(
    convention: str,
    value: NumberLike,
    *,
    phi: NumberLike | None = None,
    psi: NumberLike | None = None,
    n: NumberLike | None = None,
) -> Scalar:
    """Return our λ for a penalty written in another convention.

    Parameters
    ----------
    convention : str
        "mean", ours, (1/n)‖y − Fa‖² + λ‖a‖²; "sum", without 1/n (scikit-learn's Ridge); "half_sum", with ½ and λ/2;
        "mean_scaled_features" and "sum_scaled_features", with F/√N for F (Adlam–Pennington, Cui et al.);
        "mei_montanari", ours with (N/d)λ.
    value : number ≥ 0
        The penalty in that convention.

    Raises
    ------
    TheoryError
        The convention is not known, a size that it needs is missing, or a number is out of its range.

    >>> ridge_from("sum_scaled_features", "1/10", phi="1/2", psi="2/3")
    Fraction(3, 40)
    >>> ridge_from("sum", "100", n=2000)
    Fraction(1, 20)
    """
    ours = _ours(convention, {"n": n, "phi": phi, "psi": psi})
    penalty = read_scalar(value, "value", _NO_PENALTY)
    return _finite(lambda: ours(penalty), "value", value, "our λ")


@checked_call
def ridge_to(
    convention: str,
    ridge: NumberLike,
    *,
    phi: NumberLike | None = None,
    psi: NumberLike | None = None,
    n: NumberLike | None = None,
) -> Scalar:
    """Return the penalty in another convention that equals our λ: the inverse of :func:`ridge_from`.

    Parameters
    ----------
    convention : str
        As in :func:`ridge_from`.

    >>> ridge_to("sum", "1/20", n=2000)  # scikit-learn's Ridge(alpha=…)
    Fraction(100, 1)
    """
    ours = _ours(convention, {"n": n, "phi": phi, "psi": psi})
    penalty = read_scalar(ridge, "ridge", _NO_PENALTY)
    return _finite(lambda: penalty / ours(Fraction(1)), "ridge", ridge)


def _ours(convention: str, given: Mapping[str, NumberLike | None]) -> Callable[[Scalar], Scalar]:
    """Return our λ as a function of the penalty in a convention, at the sizes that it needs."""
    words = {name: known.words for name, known in CONVENTIONS.items()}
    _, needs, ours = CONVENTIONS[one_of(convention, "convention", CONVENTIONS, words)]
    sizes = {}
    for name in needs:
        if given[name] is None:
            wanted = ", ".join(needs)
            raise ArgumentError(f"convention {convention!r} needs {wanted}; {name} is not given", argument=name)
        sizes[name] = read_rational(given[name], name)
        if sizes[name] <= 0:
            raise DomainError(f"{name}={given[name]} must be positive", argument=name)
    return lambda penalty: ours(penalty, **sizes)


def _finite(compute: Callable[[], Scalar], name: str, given: object, what: str = "the result") -> Scalar:
    try:
        result = compute()
    except OverflowError:  # of a fraction beside a float
        result = math.inf
    if isinstance(result, float) and not math.isfinite(result):
        reason = f"{name}={given}: {what} would be beyond the range of float64; give exact numbers"
        raise DomainError(reason, argument=name)
    return result


class Loss(Option):
    """The loss that a library differentiates."""

    MEAN = "mean", "mean of (y − f)², as torch's MSELoss and Keras have it"
    SUM = "sum", "sum of (y − f)²"
    HALF_MEAN = "half_mean", "half the mean of (y − f)²: ours"
    HALF_SUM = "half_sum", "half the sum of (y − f)²"


def _weight(loss: str, n: NumberLike | None) -> Fraction:
    """Return the factor of (1/n)‖y − f‖² in a loss."""
    which = one_of(loss, "loss", Loss, {known: known.meaning for known in Loss})
    half = Fraction(1, 2) if which in (Loss.HALF_MEAN, Loss.HALF_SUM) else Fraction(1)
    if which in (Loss.MEAN, Loss.HALF_MEAN):
        return half
    if n is None:
        raise ArgumentError(f"loss {str(which)!r} grows with the batch: give its size as n=", argument="n")
    return half * whole(n, "n")


#: The arguments of functions of losses, as their docstrings describe them.
_ARGUMENTS = {
    "loss": """loss : {"mean", "sum", "half_mean", "half_sum"}
    "mean" of (y − f)², as torch's MSELoss has it, or its "sum", each as it is or half of it; ours is "half_mean".""",
    "lr": "lr : number ≥ 0\n    The learning rate of the first layer's step.",
    "weight_decay": "weight_decay : number ≥ 0\n    The weight decay of the second layer.",
    "eta": "eta : number ≥ 0\n    Our η.",
    "ridge": "ridge : number ≥ 0\n    Our λ.",
    "n": "n : int, optional\n    Size of the step's batch, or number of points of the fit, for sums.",
}


def _of_losses(function: Callable[P, R]) -> Callable[P, R]:
    errors = "The loss is not known, the size of the batch is missing, or a number is out of its range."
    return checked_call(function, _ARGUMENTS, errors)


@_of_losses
def eta_from(loss: str, lr: NumberLike, *, n: NumberLike | None = None) -> Scalar:
    """Return our η for a learning rate of gradient descent on another loss.

    >>> eta_from("mean", "5/2")  # torch.nn.MSELoss()
    Fraction(5, 1)
    >>> eta_from("sum", "1/100", n=800)  # torch.nn.MSELoss(reduction="sum")
    Fraction(16, 1)
    """
    return _finite(lambda: 2 * _weight(loss, n) * read_scalar(lr, "lr"), "lr", lr)


@_of_losses
def lr_from(loss: str, eta: NumberLike, *, n: NumberLike | None = None) -> Scalar:
    """Return the learning rate on another loss that equals our η: the inverse of :func:`eta_from`.

    >>> lr_from("mean", 5)
    Fraction(5, 2)
    """
    return _finite(lambda: read_scalar(eta, "eta") / (2 * _weight(loss, n)), "eta", eta)


@_of_losses
def ridge_from_decay(loss: str, weight_decay: NumberLike, *, n: NumberLike | None = None) -> Scalar:
    """Return our λ for a second layer trained to convergence with weight decay, as torch's optimisers define it.

    They add ``weight_decay`` times a to the gradient, which minimises the loss plus ½ weight_decay ‖a‖².

    >>> ridge_from_decay("mean", "1/10"), ridge_from_decay("half_mean", "1/10")
    (Fraction(1, 20), Fraction(1, 10))
    """
    decay = read_scalar(weight_decay, "weight_decay")
    return _finite(lambda: decay / (2 * _weight(loss, n)), "weight_decay", weight_decay)


@_of_losses
def decay_from(loss: str, ridge: NumberLike, *, n: NumberLike | None = None) -> Scalar:
    """Return the weight decay that equals our λ: the inverse of :func:`ridge_from_decay`.

    >>> decay_from("mean", "1/20")
    Fraction(1, 10)
    """
    return _finite(lambda: 2 * _weight(loss, n) * read_scalar(ridge, "ridge", _NO_PENALTY), "ridge", ridge)


def __dir__() -> list[str]:
    return sorted(__all__)
