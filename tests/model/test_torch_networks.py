"""Networks of torch, read by their classes' names and weights: what is found, what is measured, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc

d, N = 120, 200


class Sequential(list):
    """Modules one after the other."""


class Linear:
    """A layer with the weights that torch draws, U(±1/√inputs), or others."""

    def __init__(self, inputs, outputs, weight=None, bias=True, seed=0):
        rng = np.random.default_rng((seed, inputs))
        draw = rng.uniform(-1, 1, (outputs, inputs)) / math.sqrt(inputs)
        self.weight = Tensor(draw if weight is None else weight)
        self.bias = Tensor(rng.uniform(-1, 1, outputs) / math.sqrt(inputs)) if bias is True else bias


class Tensor:
    """Numbers that numpy takes only without their gradient."""

    def __init__(self, values, gradient=True):
        self.values, self.gradient = np.asarray(values, dtype=np.float32), gradient

    def detach(self):
        return Tensor(self.values, gradient=False)

    def __array__(self, dtype=None, copy=None):
        if self.gradient:
            raise RuntimeError("call detach() first")
        return np.asarray(self.values, dtype)


def module(word, **parameters):
    """An activation of this class."""
    return type(word, (), parameters)()


def network(activation="ReLU", first=None, second=None, **parameters):
    layers = first or Linear(d, N), second or Linear(N, 1)
    return Sequential([layers[0], module(activation, **parameters), layers[1]])


def normal(std, inputs, outputs, seed=1):
    return std * np.random.default_rng(seed).standard_normal((outputs, inputs))


def test_a_network_as_it_comes():
    problem = tc.Problem.from_torch(network(), "H1 + H2/2", n=300, ridge="1/10", noise="1/2")
    written = tc.Problem(
        "relu",
        "H1 + H2/2",
        n=300,
        d=d,
        N=N,
        ridge="1/10",
        noise="1/2",
        intercept=True,
        centred=False,
        **tc.conventions.layers_from("torch")._asdict(),
    )
    assert problem == written
    notes = " ".join(tc.conventions.network_of(network()).notes)
    for words in ("drawn as 'torch'", "times as much as those of Gaussian rows", "keep the intercept"):
        assert words in notes


def test_what_the_caller_says_goes_first():
    said = {"centred": True, "intercept": False, "first_scale": 2, "step_samples": 100}
    problem = tc.Problem.from_torch(network(), "H1", n=300, ridge="1/10", **said)
    assert {name: getattr(problem, name) for name in said} == said


def test_means_stay_where_there_are_any():
    problem = tc.Problem.from_torch(network("Tanh"), "H1 + 1", n=300, ridge="1/10")
    assert (problem.centred, problem.centred_labels) == (True, False)
    assert tc.Problem.from_torch(network("Tanh"), "H1", n=300, ridge="1/10").centred_labels


@pytest.mark.parametrize(
    ("word", "parameters", "text"),
    [
        ("LeakyReLU", {"negative_slope": 0.2, "inplace": False}, "leaky_relu(0.2)"),
        ("ELU", {"alpha": 2.0}, "elu(2)"),
        ("Softplus", {"beta": 2.0, "threshold": 20.0}, "softplus(2)"),
        ("GELU", {"approximate": "tanh"}, "gelu_tanh"),
        ("GELU", {"approximate": "none"}, "gelu"),
        ("PReLU", {"weight": Tensor([0.25])}, "prelu(0.25)"),
        ("Hardtanh", {"min_val": -2.0, "max_val": 2.0}, "hardtanh(2)"),
        ("SiLU", {}, "silu"),
        ("Sigmoid", {}, "sigmoid"),
        ("Mish", {}, "mish"),
    ],
)
def test_activations_and_their_parameters(word, parameters, text):
    found = tc.conventions.network_of(network(word, **parameters)).activation
    assert found.is_same_function(tc.activation(text))
    assert found.guarantee == "enclosed"


def test_other_initialisations():
    first = Linear(d, N, normal(math.sqrt(2 / d), d, N))
    second = Linear(N, 1, normal(math.sqrt(2 / N), N, 1, seed=2))
    assert tc.conventions.network_of(network("ReLU", first, second)).layers == tc.conventions.layers_from("he_normal")


def test_scales_that_no_initialisation_has_are_measured():
    first, second = normal(0.02, d, N), normal(0.02, N, 1, seed=2)
    found = tc.conventions.network_of(network("ReLU", Linear(d, N, first), Linear(N, 1, second)))
    assert found.layers.first_scale == pytest.approx(np.sqrt(np.mean(np.sum(first**2, axis=1))), rel=1e-6)
    assert found.layers.second_scale == pytest.approx(np.linalg.norm(second), rel=1e-6)
    assert found.layers[2:] == ("gaussian", "gaussian")
    assert sum("is measured" in note for note in found.notes) == 2


def test_rows_on_a_sphere_and_layers_of_one_size():
    rows = normal(1, d, N)
    first = Linear(d, N, 1.3 * rows / np.linalg.norm(rows, axis=1)[:, None], bias=None)
    signs = np.sign(normal(1, N, 1)) / math.sqrt(N)
    found = tc.conventions.network_of(network("ReLU", first, Linear(N, 1, signs, bias=None)))
    assert found.layers[2:] == ("sphere", "sign")
    assert found.layers[:2] == pytest.approx((1.3, 1.0))
    assert not any("Gaussian rows" in note or "intercept" in note for note in found.notes)
    constant = tc.conventions.network_of(network("ReLU", first, Linear(N, 1, np.abs(signs), bias=None)))
    assert constant.layers.second_layer == "constant"
    flat = np.random.default_rng(3).uniform(-1, 1, (1, N))
    assert tc.conventions.network_of(network("ReLU", first, Linear(N, 1, flat))).layers.second_layer == "uniform"


def test_sequences_in_sequences_and_modules_without_effect():
    inner = Sequential([module("Flatten"), Linear(d, N), module("Tanh")])
    assert tc.conventions.network_of(Sequential([inner, module("Identity"), Linear(N, 1)])).N == N


def test_it_is_seldom_wrong():
    """Of 200 small networks as torch draws them all have their exact scales."""
    for seed in range(200):
        drawn = network("ReLU", Linear(20, 30, seed=seed), Linear(30, 1, seed=seed))
        found = tc.conventions.network_of(drawn).layers
        assert found[:2] == tc.conventions.layers_from("torch")[:2]
        assert found.second_layer == "uniform"


ORTHOGONAL = np.linalg.qr(normal(1, 100, 100))[0][:80]
TRAINED = normal(0.1, d, N) + np.outer(normal(1, N, 1)[0], normal(1, d, 1)[0]) / 20


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Linear(3, 1), "it is a Linear; the theory is of a network with one hidden layer"),
        (Sequential([]), "it is of nothing"),
        (Sequential([Linear(d, N), module("BatchNorm1d"), module("ReLU"), Linear(N, 1)]), "BatchNorm1d"),
        (Sequential([Linear(d, N), Linear(N, 1)]), "of Linear, Linear"),
        (Sequential([Linear(d, N), module("Dropout"), Linear(N, 1)]), "Dropout is not an activation known here"),
        (network("Softmax"), "Softmax is not an activation"),
        (network(second=Linear(N, 2)), "has 2 outputs"),
        (network(second=Linear(N + 1, 1)), "takes 201 numbers, and the first gives 200"),
        (network("RReLU", training=True), "random slopes"),
        (network("PReLU", weight=Tensor([0.1, 0.2])), "has 2 values of weight"),
        (network(first=Linear(100, 80, ORTHOGONAL), second=Linear(80, 1)), "not independent of each other"),
        (network(first=Linear(d, N, TRAINED)), "trained already"),
        (network(first=Linear(d, N, np.zeros((N, d)))), "no weights that are finite"),
        (network(first=Linear(d, N, np.vstack([np.zeros(d), normal(1, d, N - 1)]))), "no weights at all"),
        (network(first=Linear(d, N, bias=Tensor(np.ones(N)))), "biases of the first layer are 1 on average"),
        (network(second=Linear(N, 1, np.full((1, N), -0.1))), "equal and negative"),
        (network(second=Linear(N, 1, np.abs(normal(1, N, 1)))), "has a mean"),
    ],
)
def test_what_is_refused(model, words):
    with pytest.raises(tc.DomainError, match=words) as caught:
        tc.Problem.from_torch(model, "H1", n=300, ridge="1/10")
    assert caught.value.argument == "model"


def test_one_neuron_has_no_pairs():
    assert tc.conventions.network_of(network(first=Linear(d, 1), second=Linear(1, 1, bias=None))).N == 1


def test_torch_itself():
    """Where torch is installed."""
    nn = pytest.importorskip("torch.nn")
    model = nn.Sequential(nn.Linear(d, N), nn.GELU("tanh"), nn.Linear(N, 1))
    problem = tc.Problem.from_torch(model, "H1", n=300, ridge="1/10")
    assert problem.activation.name == "gelu_tanh"
    assert problem.first_scale == tc.conventions.layers_from("torch").first_scale
