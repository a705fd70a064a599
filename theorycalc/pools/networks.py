"""features_of() and feature_batches(): the features that a model computes from inputs, batch by batch.

See docs/own_features.md#from-a-network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, TheoryError, spelled
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, whole
from theorycalc.pools.feature_maps import FeatureMap, Layer, feature_map
from theorycalc.running.terminal import progress

#: Inputs of a model: an array, a tensor or a table whose rows can be sliced.
ModelInputs: TypeAlias = Any

_BATCH = 1000
_FEW = 8  # rows that must have the same features alone
_ALIKE = 1e-2  # of the root mean square: rounding to half precision is less, and chance or the other rows are more


@checked_call
def features_of(model: object, X: ModelInputs, *, layer: Layer | None = None, batch: int = _BATCH) -> Floats:
    """Return the features that a model computes from inputs, one row for each input.

    Parameters
    ----------
    model : torch.nn.Module, scikit-learn estimator or callable
        A network of torch, in evaluation mode while it computes: by default the numbers that enter the last layer of
        an ``nn.Sequential``.  A fitted ``MLPClassifier`` or ``MLPRegressor`` of scikit-learn, also at the end of a
        pipeline: by default its last hidden layer.  A fitted transformer or pipeline with ``transform``.  Or a function
        of a batch of inputs, of numpy or JAX, that returns its features.
    X : array
        The inputs, one in each row; a memory-mapped file or a tensor, too.
    layer : int or str, optional
        The layer whose output is taken: its name or its number in a network of torch, the number of a hidden layer in
        one of scikit-learn.
    batch : int, default 1000
        The number of inputs that are computed at once.

    Returns
    -------
    array of shape (inputs, features)
        The features in the precision of the model, single or double.  Features with several axes become one row.

    Raises
    ------
    TheoryError
        The model is of another kind, lacks the layer, does not take the inputs or returns an output instead of
        features, or the features of an input depend on the other inputs or on chance.

    >>> features_of(lambda x: np.maximum(x @ np.array([[1.0, 2.0, 3.0]]), 0), np.array([[1.0], [-1.0], [2.0]]))
    array([[1., 2., 3.],
           [0., 0., 0.],
           [2., 4., 6.]])
    """
    size, inputs, compute = whole(batch, "batch", "a positive whole number"), _inputs(X), feature_map(model, layer)
    parts = _computed(compute, ((part, None) for part in _slices(inputs, size)))
    count = -(-len(inputs) // size)
    start, found = 0, np.empty((0, 0))
    for features, _ in progress(parts, count, "computing features"):
        if not start:
            found = np.empty((len(inputs), features.shape[1]), features.dtype)
        found[start : start + len(features)] = features
        start += len(features)
    return found


@checked_call
def feature_batches(
    model: object,
    X: ModelInputs | Iterable[tuple[ModelInputs, Any]],
    y: Any = None,
    *,
    layer: Layer | None = None,
    batch: int = _BATCH,
) -> Iterator[tuple[Floats, Floats]]:
    """Return an iterator over batches of features with their labels, as :func:`theorycalc.features` accepts.

    Parameters
    ----------
    model : torch.nn.Module, scikit-learn estimator or callable
        The model, as :func:`features_of` takes it.
    X : array, or iterable of pairs
        The inputs; or pairs of inputs and labels, one for each batch, such as a ``DataLoader`` of torch gives.
    y : array, optional
        The labels, if X has none.
    layer : int or str, optional
        The layer whose output is taken, as in :func:`features_of`.
    batch : int, default 1000
        The number of inputs that are computed at once; pairs are batches already.

    Returns
    -------
    iterator of pairs of arrays
        Features and labels of each batch.

    Raises
    ------
    TheoryError
        As :func:`features_of`; or there is not one label for each input.

    >>> X, y = np.arange(12.0).reshape(4, 3), np.ones(4)
    >>> [(F.shape, labels) for F, labels in feature_batches(np.tanh, X, y, batch=3)]
    [((3, 3), array([1., 1., 1.])), ((1, 3), array([1.]))]
    """
    size, compute = whole(batch, "batch", "a positive whole number"), feature_map(model, layer)
    if y is None and not hasattr(X, "shape"):
        return _computed(compute, _pairs(X))
    if y is None:
        raise ArgumentError(f"{spelled('y')} is missing: pass the labels of the inputs", argument="y")
    inputs, labels = _inputs(X), _array(y)
    _check_labels(inputs, labels, "y")
    return _computed(compute, zip(_slices(inputs, size), _slices(labels, size), strict=True))


def _inputs(X: ModelInputs) -> ModelInputs:
    """Return inputs in a form whose rows can be sliced."""
    if _is_sparse(X):
        raise DomainError("X: it is sparse; pass a dense array, such as X.toarray()", argument="X")
    try:
        inputs = X if hasattr(X, "shape") else np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        kind = type(X).__name__
        raise ArgumentError(f"X must be an array with one input in each row, not a {kind}", argument="X") from None
    if len(inputs.shape) < 2 or not inputs.shape[0]:
        raise DomainError(f"X: an array of shape {tuple(inputs.shape)} has not one input in each row", argument="X")
    return inputs


def _is_sparse(numbers: object) -> bool:
    return hasattr(numbers, "toarray") or bool(getattr(numbers, "is_sparse", False))


def _slices(rows: ModelInputs, size: int) -> Iterator[ModelInputs]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _pairs(batches: object) -> Iterator[tuple[ModelInputs, Floats]]:
    """Yield inputs and labels from an iterable of pairs."""
    if not isinstance(batches, Iterable):
        kind = type(batches).__name__
        raise ArgumentError(f"X must be an array, or an iterable of pairs, not a {kind}", argument="X")
    for pair in batches:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise ArgumentError(
                f"X: without {spelled('y')} every batch must be a pair of inputs and labels", argument="X"
            )
        inputs, labels = _inputs(pair[0]), _array(pair[1])
        _check_labels(inputs, labels, "X")
        yield inputs, labels


def _check_labels(inputs: ModelInputs, labels: Floats, argument: str) -> None:
    if labels.shape[:1] != (len(inputs),):
        reason = f"labels of shape {labels.shape} do not give one for each of {len(inputs)} inputs"
        raise DomainError(f"{argument}: {reason}", argument=argument)


def _array(numbers: Any) -> Any:
    """Return numbers of any library as an array, even if they have a gradient or are on another device."""
    for method in ("detach", "cpu"):
        numbers = getattr(numbers, method)() if hasattr(numbers, method) else numbers
    return np.asarray(numbers)


def _computed(compute: FeatureMap, batches: Iterable[tuple[ModelInputs, Any]]) -> Iterator[tuple[Floats, Any]]:
    """Yield the features of each batch with its labels; all batches must have equally many columns."""
    columns: int | None = None
    for inputs, labels in batches:
        features = _features(compute, inputs)
        if columns is None:
            _check_alone(compute, inputs, features)
            columns = features.shape[1]
        if features.shape[1] != columns:
            raise DomainError(
                f"model: it makes {columns} features of the first inputs, and {features.shape[1]} of others",
                argument="model",
            )
        yield features, labels


def _features(compute: FeatureMap, inputs: ModelInputs) -> Floats:
    """Return the features of one batch after checking that they are finite real numbers, one row for each input."""
    rows = len(inputs)
    try:
        result = compute(inputs)
    except TheoryError:
        raise
    except Exception as error:  # any error of a user's model is reported
        shape = tuple(inputs.shape)
        raise DomainError(f"model: it does not take inputs of shape {shape}: {error}", argument="model") from error
    if _is_sparse(result):
        raise DomainError("model: its features are sparse; let it return a dense array", argument="model")
    array = _array(result)
    if array.dtype.kind not in "fiub" or array.ndim < 1 or len(array) != rows:
        made = f"{type(result).__name__} of shape {array.shape} ({array.dtype})"
        raise DomainError(
            f"model: for {rows} inputs it must return as many rows of real numbers, not {made}", argument="model"
        )
    flat: Floats = array.reshape(rows, -1)
    if flat.shape[1] < 2:
        raise DomainError(
            "model: it returns one number for each input: that is the output, not the features; pass a function or a "
            "layer that ends with the hidden neurons",
            argument="model",
        )
    if not np.isfinite(flat).all():
        raise DomainError("model: some of its features are not finite numbers", argument="model")
    return flat if flat.dtype in (np.float32, np.float64) else flat.astype(float)


def _check_alone(compute: FeatureMap, inputs: ModelInputs, features: Floats) -> None:
    """Refuse features that depend on the other inputs in a batch, or on chance."""
    few = min(_FEW, len(inputs) - 1)
    if few < 1:
        return
    alone = _features(compute, inputs[:few])
    size = np.sqrt(np.mean(np.square(features[:few], dtype=float)))
    if alone.shape[1] != features.shape[1] or np.abs(alone - features[:few]).max() > _ALIKE * size:
        raise DomainError(
            "model: the features of an input depend on the other inputs, or on chance; switch off dropout and the "
            "normalisation of batches",
            argument="model",
        )
