"""Features of inputs, batch by batch: the same whatever the batch, in bounded memory; outputs are refused."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import theorycalc as tc
from tests.helpers.torch_fakes import Dropout, Linear, ReLU, Sequential, Tensor, torch

rng = np.random.default_rng(0)
X, W = rng.standard_normal((25, 4)), rng.standard_normal((4, 6))
y = X[:, 0]


def relu_features(x):
    return np.maximum(x @ W, 0)


@pytest.mark.parametrize("batch", [1, 2, 7, 25, 1000])
def test_batches_change_nothing(batch):
    found = tc.features_of(relu_features, X, batch=batch)
    np.testing.assert_allclose(found, relu_features(X), rtol=1e-14)
    pairs = list(tc.feature_batches(relu_features, X, y, batch=batch))
    assert max(len(labels) for _, labels in pairs) <= batch
    np.testing.assert_array_equal(np.concatenate([features for features, _ in pairs]), found)
    np.testing.assert_array_equal(np.concatenate([labels for _, labels in pairs]), y)


def test_pairs_are_batches_already():
    pairs = [(X[:10], y[:10]), (X[10:], y[10:])]
    found = list(tc.feature_batches(relu_features, pairs))
    assert [features.shape for features, _ in found] == [(10, 6), (15, 6)]


def test_tensors_and_their_precision(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    model = Sequential(Linear(4, 5), ReLU(), Dropout(), Linear(5, 1))
    found = tc.features_of(model, Tensor(X))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, tc.features_of(model, X))
    ((_, labels),) = tc.feature_batches(model, Tensor(X), Tensor(y, gradient=True))
    assert isinstance(labels, np.ndarray)
    with pytest.raises(tc.DomainError, match="depend on the other inputs, or on chance"):
        tc.features_of(lambda x: model._children[2](Tensor(x)), X)


def test_an_error_of_a_layer_is_told_as_it_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    twice = ReLU()
    with pytest.raises(tc.DomainError, match=r"^layer=1: the layer is used 2 times") as found:
        tc.features_of(Sequential(Linear(4, 5), twice, twice), X, layer=1)
    assert found.value.argument == "layer"


def test_images_are_rows():
    images = rng.standard_normal((5, 3, 2))
    np.testing.assert_array_equal(tc.features_of(np.abs, images), np.abs(images).reshape(5, 6))


def test_other_numbers_become_double():
    assert tc.features_of(lambda x: x > 0, X).dtype == np.float64
    assert tc.features_of(lambda x: x.astype(np.float16), X).dtype == np.float64
    assert tc.features_of(lambda x: x.astype(np.float32), X).dtype == np.float32
    np.testing.assert_array_equal(tc.features_of(np.negative, X.tolist()), -X)


def test_memory_is_that_of_one_batch(tmp_path):
    inputs = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.float32, shape=(60_000, 4))
    labels = np.zeros(len(inputs))
    tracemalloc.start()
    count = sum(len(features) for features, _ in tc.feature_batches(lambda x: x @ np.ones((4, 100)), inputs, labels))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == len(inputs)
    assert peak < 8 * 100 * 1000 * 8  # some batches of 1000, and not 60


def to_sparse(x):
    return sparse.csr_array(x)


def changing(x):
    return np.zeros((len(x), 2 + len(x) % 2))


@pytest.mark.parametrize(
    ("model", "inputs", "argument", "words"),
    [
        (lambda x: x @ np.ones(4), X, "model", "that is the output, not the features"),
        (lambda x: x[:, :1], X, "model", "that is the output, not the features"),
        (
            lambda x: x[:3],
            X,
            "model",
            r"for 25 inputs it must return as many rows of real numbers, not ndarray .*\(3, 4\)",
        ),
        (lambda x: 1.0, X, "model", "as many rows"),
        (lambda x: x + 1j, X, "model", "complex128"),
        (lambda x: np.full((len(x), 3), np.inf), X, "model", "not finite"),
        (to_sparse, X, "model", "its features are sparse"),
        (lambda x: x @ np.ones((3, 2)), X, "model", r"does not take inputs of shape \(25, 4\)"),
        (lambda x: x - x.mean(axis=0), X, "model", "depend on the other inputs"),
        (lambda x: x + np.random.default_rng().standard_normal(x.shape), X, "model", "or on chance"),
        (changing, X, "model", "depend on the other inputs"),
        (np.tanh, sparse.csr_array(X), "X", "sparse"),
        (np.tanh, y, "X", r"shape \(25,\) has not one input in each row"),
        (np.tanh, X[:0], "X", "has not one input in each row"),
        (np.tanh, [[1, 2], [3]], "X", "not a list"),
        (np.tanh, "inputs", "X", "not a str"),
    ],
)
def test_what_is_refused(model, inputs, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as found:
        tc.features_of(model, inputs)
    assert found.value.argument == argument


def test_as_many_features_of_every_batch():
    with pytest.raises(tc.DomainError, match="makes 3 features of the first inputs, and 2 of others"):
        list(tc.feature_batches(changing, [(X[:1], y[:1]), (X[:2], y[:2])]))


@pytest.mark.parametrize("batch", [0, -1, 2.5, "many"])
def test_a_batch_is_a_whole_number(batch):
    with pytest.raises(tc.DomainError, match="batch"):
        tc.features_of(np.tanh, X, batch=batch)


@pytest.mark.parametrize(
    ("inputs", "labels", "argument", "words"),
    [
        (X, None, "y", "y= is missing"),
        (X, y[:3], "y", r"shape \(3,\) do not give one for each of 25"),
        (3, None, "X", "an iterable of pairs, not a int"),
        ([X], None, "X", "a pair of inputs and labels"),
        ([(X, y[:3])], None, "X", r"shape \(3,\) do not give one for each"),
    ],
)
def test_labels_that_are_refused(inputs, labels, argument, words):
    with pytest.raises(tc.TheoryError, match=words) as found:
        list(tc.feature_batches(np.tanh, inputs, labels))
    assert found.value.argument == argument
