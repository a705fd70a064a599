"""Models of torch, scikit-learn and plain functions: which layer is taken, and what is refused."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from tests.helpers.torch_fakes import Dropout, Linear, Module, ReLU, Sequential, torch
from theorycalc.errors import ArgumentError, DomainError
from theorycalc.pools.feature_maps import feature_map

X = np.random.default_rng(1).standard_normal((6, 4))


@pytest.fixture
def network(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    return Sequential(Linear(4, 5), ReLU(), Dropout(), Linear(5, 1))


def perceptron(activation="relu", sizes=(4, 5, 3, 1)):
    """A fitted network of scikit-learn, as much of it as is read."""
    rng = np.random.default_rng(2)
    coefs = [rng.standard_normal(shape) for shape in pairwise(sizes)]
    biases = [rng.standard_normal(size) for size in sizes[1:]]
    return SimpleNamespace(coefs_=coefs, intercepts_=biases, activation=activation, predict=len)


def relu_layer(network):
    first = network._children[0]
    return np.maximum(X.astype(np.float32) @ first.weight.values + first.bias.values, 0)


def test_what_enters_the_last_layer_of_torch(network):
    found = feature_map(network, None)(X)
    assert not found.gradient
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.values, relu_layer(network))


@pytest.mark.parametrize("layer", [1, "1", -3])
def test_a_layer_of_torch_by_name_or_number(network, layer):
    np.testing.assert_array_equal(feature_map(network, layer)(X).values, relu_layer(network))


def test_a_network_of_torch_stays_as_it_was(network):
    network._children[2].training = False
    feature_map(network, None)(X)
    assert [module.training for module in network.modules()] == [True, True, True, False, True]
    with pytest.raises(ValueError, match="matmul"):
        feature_map(network, 0)(X[:, :2])
    assert [module.training for module in network.modules()] == [True, True, True, False, True]
    assert not any(module.before or module.after for module in network.modules())


class InPlace(Module):
    """The positive part, written over its input as ReLU(inplace=True) does."""

    def forward(self, x):
        np.maximum(x.values, 0, out=x.values)
        return x


def test_a_layer_in_place_does_not_change_the_features_before_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", torch)
    network = Sequential(Linear(4, 5), InPlace(), Linear(5, 1))
    first = network._children[0]
    expected = X.astype(np.float32) @ first.weight.values + first.bias.values
    assert expected.min() < 0
    np.testing.assert_array_equal(feature_map(network, 0)(X).values, expected)


def test_a_sequence_in_a_sequence(network):
    nested = Sequential(Sequential(*network._children[:3]), network._children[3])
    np.testing.assert_array_equal(feature_map(nested, None)(X).values, relu_layer(network))


@pytest.mark.parametrize(
    ("model", "layer", "words"),
    [
        (Sequential(Linear(4, 5), ReLU()), None, "ends with ReLU"),
        (Sequential(), None, "is empty"),
        (Sequential(Linear(4, 1)), None, "no hidden layer"),
        (Module(Linear(4, 5)), None, "which layer of a Module has the features is not known"),
        (Sequential(Linear(4, 5), ReLU()), "body", r"layer='body' is not in the network.*'0' \(Linear\)"),
        (Sequential(Linear(4, 5), ReLU()), 2, "layer=2: the network has 2 layers"),
        (Sequential(Linear(4, 5), ReLU()), "", "layer='' is not in the network"),
    ],
)
def test_layers_that_torch_does_not_have(network, model, layer, words):
    with pytest.raises(DomainError, match=words):
        feature_map(model, layer)


def test_a_layer_that_is_used_twice(network):
    again = ReLU()
    with pytest.raises(DomainError, match="used 2 times"):
        feature_map(Sequential(Linear(4, 5), again, again), 1)(X)


def test_a_layer_with_several_outputs(network):
    class Split(Module):
        def forward(self, x):
            return x, x

    with pytest.raises(DomainError, match="more than one tensor"):
        feature_map(Sequential(Split()), 0)(X)


@pytest.mark.parametrize(
    ("activation", "values"),
    [
        ("identity", lambda z: z),
        ("relu", lambda z: z * (z > 0)),
        ("tanh", lambda z: 1 - 2 / (np.exp(2 * z) + 1)),
        ("logistic", lambda z: 1 / (1 + np.exp(-z))),
    ],
)
def test_hidden_layers_of_scikit_learn(activation, values):
    model = perceptron(activation)
    first = values(X @ model.coefs_[0] + model.intercepts_[0])
    second = values(first @ model.coefs_[1] + model.intercepts_[1])
    np.testing.assert_allclose(feature_map(model, None)(X), second, rtol=1e-12)
    np.testing.assert_allclose(feature_map(model, -2)(X), first, rtol=1e-12)


class Pipeline:
    """Steps one after the other."""

    def __init__(self, *steps):
        self.steps = [(str(i), step) for i, step in enumerate(steps)]

    def __getitem__(self, part):
        return SimpleNamespace(transform=lambda x: 2 * x)


def test_a_network_at_the_end_of_a_pipeline():
    model = perceptron()
    found = feature_map(Pipeline(object(), model), None)(X)
    np.testing.assert_array_equal(found, feature_map(model, None)(2 * X))


def test_a_transformer():
    assert feature_map(SimpleNamespace(transform=np.cos), None) is np.cos


@pytest.mark.parametrize(
    ("model", "layer", "error", "words"),
    [
        (perceptron(), 2, DomainError, "layer=2: the hidden layers are numbered, 0 to 1"),
        (perceptron(sizes=(4, 5, 1)), "1", DomainError, "layer='1': the hidden layers are numbered, only 0"),
        (perceptron(sizes=(4, 1)), None, DomainError, "no hidden layer"),
        (SimpleNamespace(predict=len, hidden_layer_sizes=3), None, DomainError, "has no weights yet"),
        (SimpleNamespace(predict=len), None, DomainError, "predicts, and has neither hidden layers nor transform"),
        (
            Pipeline(object(), SimpleNamespace(predict=len)),
            None,
            DomainError,
            r"pass the steps before it, model\[:-1\]",
        ),
        (np.tanh, 1, ArgumentError, "a ufunc has no layers"),
        (np.tanh, True, ArgumentError, "must be the name or the number"),
        (np.tanh, 1.0, ArgumentError, "must be the name or the number"),
        (Linear, None, ArgumentError, "Linear is a class"),
        ("relu", None, ArgumentError, "a str has no features"),
        (None, None, ArgumentError, "a NoneType has no features"),
    ],
)
def test_models_that_are_refused(model, layer, error, words):
    with pytest.raises(error, match=words) as found:
        feature_map(model, layer)
    assert found.value.argument in ("model", "layer")


def test_real_torch():
    """The stand-in above behaves as torch does."""
    torch = pytest.importorskip("torch")
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Dropout(), nn.Flatten(), nn.Linear(5, 1))
    with torch.no_grad():
        expected = model[:2](torch.tensor(X).float())
    for layer in (None, 1, "1"):
        assert torch.equal(feature_map(model, layer)(X), expected)
    assert model.training
    assert not model[4]._forward_pre_hooks
    half = feature_map(model.bfloat16(), None)(X)
    assert half.dtype == torch.float32


def test_real_jax():
    jax = pytest.importorskip("jax")
    np.testing.assert_allclose(feature_map(jax.jit(jax.numpy.tanh), None)(X), np.tanh(X), rtol=1e-5)


def test_real_scikit_learn():
    """The output layer on our features is scikit-learn's own output."""
    networks = pytest.importorskip("sklearn.neural_network")
    pipeline, preprocessing = pytest.importorskip("sklearn.pipeline"), pytest.importorskip("sklearn.preprocessing")
    y = X @ np.arange(4.0)
    scaler = preprocessing.StandardScaler().fit(X)
    for activation in ("identity", "relu", "tanh", "logistic"):
        model = networks.MLPRegressor(hidden_layer_sizes=(5, 3), activation=activation, random_state=0)
        model.partial_fit(scaler.transform(X), y)
        whole = pipeline.make_pipeline(scaler, model)
        features = feature_map(whole, None)(X)
        assert features.shape == (6, 3)
        np.testing.assert_allclose(features @ model.coefs_[-1][:, 0] + model.intercepts_[-1], whole.predict(X))
    assert feature_map(pipeline.make_pipeline(scaler), None)(X).shape == X.shape
    with pytest.raises(DomainError, match="no weights yet"):
        feature_map(networks.MLPClassifier(), None)
