"""feature_map(): the function from a batch of inputs to the features of a model from any library.

A model is known by what it offers: layers with hooks (torch), weights of hidden layers or ``transform``
(scikit-learn), or a call (any function, JAX's, too).  No library is imported for it.  See
docs/own_features.md#from-a-network.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, spelled, suggestion
from theorycalc.model.torch_networks import modules_of
from theorycalc.numbers.exact import Floats

#: A number of a layer, or its name in a network of torch.
Layer: TypeAlias = int | str
#: A function from a batch of inputs to its features, both of any library.
FeatureMap: TypeAlias = Callable[[Any], Any]

_LISTED = 12  # layers that an error names
_ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {  # of scikit-learn's networks
    "identity": lambda z: z,
    "logistic": lambda z: (1 + np.tanh(z / 2)) / 2,
    "tanh": np.tanh,
    "relu": lambda z: np.maximum(z, 0),
}


def feature_map(model: Any, layer: Layer | None) -> FeatureMap:
    """Return the function from a batch of inputs to a model's features, at its last hidden layer or another.

    >>> feature_map(np.tanh, None)(np.zeros((1, 2)))
    array([[0., 0.]])
    >>> feature_map("relu", None)
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: model: a str has no features; pass a network of torch, a fitted network or \
transformer of scikit-learn, or a function of inputs
    """
    if layer is not None and (isinstance(layer, bool) or not isinstance(layer, (int, str))):
        raise ArgumentError(f"{spelled('layer', layer)} must be the name or the number of a layer", argument="layer")
    if isinstance(model, type):
        raise ArgumentError(f"model: {model.__name__} is a class; pass an instance of it", argument="model")
    if hasattr(model, "register_forward_hook"):
        return _of_torch(model, layer)
    if hasattr(model, "coefs_"):
        return _of_layers(model, layer)
    *first, last = [step for _, step in getattr(model, "steps", ())] or [model]
    if first and hasattr(last, "coefs_"):
        transformed, hidden = model[:-1].transform, _of_layers(last, layer)
        return lambda x: hidden(transformed(x))
    if layer is not None:
        kind = type(model).__name__
        raise ArgumentError(f"{spelled('layer', layer)}: a {kind} has no layers to choose from", argument="layer")
    if hasattr(model, "transform"):
        transform: FeatureMap = model.transform
        return transform
    if hasattr(last, "predict"):
        raise _without_features(model, last)
    if callable(model):
        function: FeatureMap = model
        return function
    raise ArgumentError(
        f"model: a {type(model).__name__} has no features; pass a network of torch, a fitted network or transformer of "
        "scikit-learn, or a function of inputs",
        argument="model",
    )


def _without_features(model: object, last: object) -> DomainError:
    """Return the error about a scikit-learn estimator that can only predict."""
    kind = type(last).__name__
    if hasattr(last, "hidden_layer_sizes"):
        reason = f"the {kind} has no weights yet: fit it, or begin by partial_fit()"
    else:
        instead = "" if last is model else "; pass the steps before it, model[:-1]"
        reason = f"a {kind} predicts, and has neither hidden layers nor transform(){instead}"
    return DomainError(f"model: {reason}", argument="model")


def _of_layers(model: Any, layer: Layer | None) -> FeatureMap:
    """Return the map to a hidden layer of a fitted scikit-learn network."""
    *hidden, _ = zip(model.coefs_, model.intercepts_, strict=True)
    number = len(hidden) - 1 if layer is None else layer
    if not hidden:
        raise DomainError("model: it has no hidden layer: its features are the inputs", argument="model")
    if isinstance(number, str) or not -len(hidden) <= number < len(hidden):
        known = "only 0" if len(hidden) == 1 else f"0 to {len(hidden) - 1}"
        raise DomainError(f"{spelled('layer', layer)}: the hidden layers are numbered, {known}", argument="layer")
    activation, count = _ACTIVATIONS[model.activation], range(len(hidden))[number] + 1

    def compute(x: Any) -> Floats:
        features = np.asarray(x)
        for weights, bias in hidden[:count]:
            features = activation(features @ weights + bias)
        return features

    return compute


def _of_torch(model: Any, layer: Layer | None) -> FeatureMap:
    """Return the map to the inputs of a sequence's last layer, or to the output of another layer."""
    chosen, enters = (_last_linear(model), True) if layer is None else (_chosen(model, layer), False)
    torch: Any = sys.modules["torch"]  # loaded, since the model is of it

    def compute(x: Any) -> Any:
        seen: list[Any] = []
        if enters:
            hook = chosen.register_forward_pre_hook(lambda module, given: seen.append(_kept(given[0])))
        else:
            hook = chosen.register_forward_hook(lambda module, given, output: seen.append(_kept(output)))
        modes = [(module, module.training) for module in model.modules()]
        model.eval()
        try:
            with torch.no_grad():
                model(_tensor(torch, model, x))
        finally:
            hook.remove()
            for module, training in modes:
                module.training = training
        if len(seen) != 1 or not hasattr(seen[0], "detach"):
            times = f"is used {len(seen)} times in one pass" if len(seen) != 1 else "gives more than one tensor"
            raise DomainError(f"{spelled('layer', layer)}: the layer {times}; choose another", argument="layer")
        return seen[0].to(torch.promote_types(seen[0].dtype, torch.float32))  # numpy has no bfloat16

    return compute


def _kept(output: Any) -> Any:
    """Return a copy of a tensor, which a layer that works in place would overwrite."""
    return output.detach().clone() if hasattr(output, "detach") else output


def _tensor(torch: Any, model: Any, x: Any) -> Any:
    """Return a batch as a tensor with the type and device of a model's parameters."""
    tensor = torch.as_tensor(x if hasattr(x, "detach") else np.array(x))  # a copy, as torch warns of read-only arrays
    parameter = next(iter(model.parameters()), None)
    return tensor if parameter is None else tensor.to(device=parameter.device, dtype=parameter.dtype)


def _last_linear(model: Any) -> Any:
    """Return the last layer of a sequence, which maps features to outputs."""
    modules = list(modules_of(model))
    kind = type(model).__name__
    if kind != "Sequential":
        raise _choose(model, f"which layer of a {kind} has the features is not known")
    if not modules or type(modules[-1]).__name__ != "Linear":
        ending = f"ends with {type(modules[-1]).__name__}, not with Linear" if modules else "is empty"
        raise _choose(model, f"the network {ending}")
    if len(modules) == 1:
        raise DomainError("model: it has no hidden layer: its features are the inputs", argument="model")
    return modules[-1]


def _chosen(model: Any, layer: Layer) -> Any:
    """Return a layer, given its name or its index."""
    if isinstance(layer, str):
        named = dict(model.named_modules())
        if layer in named and layer:
            return named[layer]
        raise _choose(model, f"{spelled('layer', layer)} is not in the network{suggestion(layer, named)}")
    children: Sequence[Any] = list(model.children())
    if not -len(children) <= layer < len(children):
        raise _choose(model, f"{spelled('layer', layer)}: the network has {len(children)} layers")
    return children[layer]


def _choose(model: Any, reason: str) -> DomainError:
    """Return an error that names the layers of a torch network."""
    named = [f"{name!r} ({type(module).__name__})" for name, module in model.named_modules() if name]
    some = ", ".join(named[:_LISTED]) + (", …" if len(named) > _LISTED else "")
    advice = f"pass {spelled('layer')} with the name or the number of the layer whose output are the features"
    return DomainError(f"model: {reason}; {advice}: {some}" if named else f"model: {reason}", argument="layer")
