"""A torch network, ``nn.Sequential(Linear, activation, Linear)``, read without importing torch.

See docs/conventions.md#reading-a-network.  A layer whose entries may well be those of a known initialisation has its
exact scale; any other has the scale that is measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.functions.primitives import GELU_FORMS, NAMED, activation_names
from theorycalc.model.activation import Activation
from theorycalc.model.enums import FirstLayer, SecondLayer
from theorycalc.model.formula import read_formula
from theorycalc.model.initialisations import INITIALISATIONS, LAWS, EntryLaw, Layers
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, Scalar, root

_WITHOUT_EFFECT = ("Identity", "Flatten")
_DEVIATIONS = 4.5  # standard errors by which a layer may differ from what it is taken for
_LARGEST_BIAS = 3.0  # times g/√(number of inputs)
_LEAST_TOLERANCE = 0.05
_EQUAL = 1e-6
_HALFWAY = 0.5  # between rows on the sphere and Gaussian rows
_KURTOSIS = {EntryLaw.NORMAL: 3.0, EntryLaw.UNIFORM: 1.8}


class TorchNetwork(NamedTuple):
    """A network that was read: its sizes, its activation, its layers' scales and laws, and how they were found."""

    d: int
    N: int
    activation: Activation
    layers: Layers
    notes: tuple[str, ...]


@checked_call
def network_of(model: object) -> TorchNetwork:
    """Return the description of an untrained ``nn.Sequential(Linear(d, N), activation, Linear(N, 1))``.

    Parameters
    ----------
    model : torch.nn.Sequential
        The network with its initial weights.  Biases must be of order 1/√d, as torch draws them.

    Raises
    ------
    TheoryError
        It is another network, its weights are not drawn at random, or its activation is not known here.

    >>> network_of(abs)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: model: it is a builtin_function_or_method; the theory is of a network with one \
hidden layer, nn.Sequential(Linear, activation, Linear)
    """
    first, activation, second = _parts(model)
    W, a = _weights(first, "the first layer"), _weights(second, "the second layer")
    (N, d), (outputs, width) = W.shape, a.shape
    if outputs != 1:
        raise _refused(f"the network has {outputs} outputs; the theory is of one")
    if width != N:
        raise _refused(f"the second layer takes {width} numbers, and the first gives {N}")
    _check_rows(W)
    first_scale, drawn, first_note = _first_scale(W)
    second_scale, law, second_note = _second(a[0], drawn)
    has_bias = _has_bias(first, d, float(first_scale), "the first layer")
    _has_bias(second, N, float(second_scale), "the second layer")
    rows, rows_note = _rows(W)
    bias_note = "biases of order 1/√d only add a constant: keep the intercept" if has_bias else ""
    notes = (first_note, rows_note, second_note, bias_note)
    layers = Layers(first_scale, second_scale, rows, law)
    return TorchNetwork(d, N, _activation(activation), layers, tuple(filter(None, notes)))


def _refused(reason: str) -> DomainError:
    return DomainError(f"model: {reason}", argument="model")


def modules_of(model: object) -> Iterator[object]:
    """Yield the modules of a sequence and of sequences inside it, without those that change no number.

    >>> list(modules_of(abs))
    [<built-in function abs>]
    """
    if type(model).__name__ != "Sequential" or not isinstance(model, Iterable):
        yield model
        return
    for module in model:
        yield from (one for one in modules_of(module) if type(one).__name__ not in _WITHOUT_EFFECT)


def _parts(model: object) -> tuple[Any, Any, Any]:
    modules = list(modules_of(model))
    names = [type(module).__name__ for module in modules]
    wanted = "nn.Sequential(Linear, activation, Linear)"
    if len(modules) != 3 or names[0] != "Linear" or names[2] != "Linear" or names[1] == "Linear":
        found = f"a {names[0]}" if len(names) == 1 else f"of {', '.join(names) or 'nothing'}"
        raise _refused(f"it is {found}; the theory is of a network with one hidden layer, {wanted}")
    return modules[0], modules[1], modules[2]


def _numbers(tensor: Any) -> Floats:
    """Return a tensor as an array, even if it has a gradient or is on another device."""
    for method in ("detach", "cpu"):
        tensor = getattr(tensor, method)() if hasattr(tensor, method) else tensor
    return np.asarray(tensor, dtype=float)


def _weights(layer: Any, name: str) -> Floats:
    weights = _numbers(getattr(layer, "weight", None))
    if weights.ndim != 2 or not weights.size or not np.isfinite(weights).all() or not weights.any():
        raise _refused(f"{name} has no weights that are finite numbers and not all zero")
    return weights


def _check_rows(W: Floats) -> None:
    """Refuse rows that are not independent: the sum of (ŵ_i·ŵ_j)² over pairs is about their number divided by d."""
    N, d = W.shape
    lengths = np.linalg.norm(W, axis=1)
    if lengths.min() == 0:
        raise _refused("a neuron has no weights at all")
    unit = W / lengths[:, None]
    pairs = N * (N - 1)
    if not pairs:
        return
    alike = (np.sum((unit @ unit.T) ** 2) - N) * d / pairs
    if abs(alike - 1) > max(_LEAST_TOLERANCE, _DEVIATIONS * math.sqrt(4 / pairs)):
        raise _refused(
            "rows of the first layer are not independent of each other: they were drawn as orthogonal, or trained "
            "already; the theory begins with independent rows"
        )


def _known_scale(entries: Floats, names: Iterable[str] = INITIALISATIONS) -> tuple[Scalar, str] | None:
    """Return the exact scale and the name of a known initialisation that could have drawn these entries."""
    outputs, inputs = entries.shape
    measured = float(np.mean(entries**2)) * inputs
    kurtosis = float(np.mean(entries**4)) * inputs**2 / measured**2
    for name in names:
        law, square = INITIALISATIONS[name].law, INITIALISATIONS[name].square(inputs, outputs)
        expected = _KURTOSIS[law]
        error = math.sqrt((expected - 1) / entries.size)  # of the mean square, relative
        if law == EntryLaw.UNIFORM:
            fits = bool(np.abs(entries).max() <= math.sqrt(3 * float(square) / inputs) * (1 + _EQUAL))
        else:
            fits = abs(kurtosis - expected) < _DEVIATIONS * math.sqrt(24 / entries.size)
        if fits and abs(measured / float(square) - 1) < _DEVIATIONS * error:
            return root(square), name
    return None


def _first_scale(W: Floats) -> tuple[Scalar, str, str]:
    """Return the scale of the first layer, the name of its initialisation, and a note."""
    known = _known_scale(W)
    if known is not None:
        return *known, f"the first layer is drawn as {known[1]!r}: first_scale={known[0]}"
    scale = math.sqrt(float(np.mean(np.sum(W**2, axis=1))))
    return scale, "", f"the first layer has no known initialisation: first_scale={scale:.6g} is measured"


def _rows(W: Floats) -> tuple[FirstLayer, str]:
    """Return the row law with the most similar variation of squared lengths, and a note if it is not exact."""
    N, d = W.shape
    squares = np.sum(W**2, axis=1)
    spread = float(np.var(squares) / np.mean(squares) ** 2) * d / 2  # 1 for Gaussian rows, 0 on the sphere
    law = FirstLayer.GAUSSIAN if spread > _HALFWAY else FirstLayer.SPHERE
    off = abs(spread - (1.0 if law == FirstLayer.GAUSSIAN else 0.0))
    if off < _DEVIATIONS * math.sqrt(2 / N) * spread + _EQUAL:
        return law, ""
    return law, (
        f"squared lengths of rows vary {spread:.2g} times as much as those of Gaussian rows (uniform entries: 0.4): "
        f"taken as first_layer={str(law)!r}; with an intercept it hardly matters"
    )


def _second(a: Floats, preferred: str) -> tuple[Scalar, SecondLayer, str]:
    """Return the scale and law of the second layer, by the preferred initialisation if that fits."""
    N, size = len(a), math.sqrt(float(np.mean(a**2)))
    scale = size * math.sqrt(N)
    if np.ptp(np.abs(a)) <= _EQUAL * size:
        if a.max() < 0:
            raise _refused("all weights of the second layer are equal and negative; change the sign of the labels")
        law = SecondLayer.CONSTANT if a.min() > 0 else SecondLayer.SIGN
        return scale, law, f"the second layer has entries of one size: second_layer={str(law)!r}"
    if abs(float(a.mean())) > _DEVIATIONS * size / math.sqrt(N):
        raise _refused("the second layer has a mean; the theory has entries around 0, or all equal")
    known = _known_scale(a[None], sorted(INITIALISATIONS, key=lambda name: name != preferred))
    if known is not None:
        law = LAWS[INITIALISATIONS[known[1]].law][1]
        return known[0], law, f"the second layer is drawn as {known[1]!r}: second_scale={known[0]}"
    bounded = np.abs(a).max() <= math.sqrt(3) * size * (1 + _DEVIATIONS * math.sqrt(0.2 / N))
    law = SecondLayer.UNIFORM if bounded else SecondLayer.GAUSSIAN
    note = f"the second layer has no known initialisation: second_scale={scale:.6g} is measured"
    return scale, law, f"{note}, and its law is taken as {str(law)!r}"


def _has_bias(layer: Any, inputs: int, scale: float, name: str) -> bool:
    """Return whether a layer has biases; refuse those that are not small.

    Those of order 1/√inputs only add a constant, which an intercept takes up.
    """
    given = getattr(layer, "bias", None)
    if given is None or isinstance(given, bool):
        return False
    bias = _numbers(given)
    size = float(np.sqrt(np.mean(bias**2)))
    if not size <= _LARGEST_BIAS * max(scale, 1.0) / math.sqrt(inputs):
        raise _refused(
            f"biases of {name} are {size:.2g} on average; those of order 1/√{inputs}, as torch draws them, only add a "
            "constant, which an intercept takes up; Problem(…, biases=…) describes larger ones"
        )
    return bool(bias.any())


def _activation(module: Any) -> Activation:
    """Return the activation that a module applies, by the name of its class and its parameters."""
    word = type(module).__name__.lower()
    name = next((known for known in activation_names() if known.replace("_", "") == word), "")
    if name == "rrelu" and getattr(module, "training", False):
        raise _refused("RReLU has random slopes while it trains; use eval(), or LeakyReLU")
    if name == "gelu":
        name = GELU_FORMS[str(getattr(module, "approximate", "none"))]
    if not name:
        raise _refused(
            f"{type(module).__name__} is not an activation known here; describe the network by "
            "Problem(activation, …), which takes functions, with tc.conventions.layers_from"
        )
    found = [
        f"{parameter}={_parameter(module, parameter)}"
        for parameter, _ in (NAMED[name].parameters if name in NAMED else ())
        if hasattr(module, parameter)
    ]
    return read_formula(f"{name}({', '.join(found)})" if found else name)


def _parameter(module: Any, name: str) -> str:
    values = _numbers(getattr(module, name)).ravel()
    if len(values) != 1:
        raise _refused(f"{type(module).__name__} has {len(values)} values of {name}; neurons of one kind have one")
    return str(float(np.float64(values[0])))
