"""As much of torch as a hidden layer needs: tensors, modules with hooks and two modes, and ``no_grad``."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np


class Tensor:
    """Numbers with a type and a device, which numpy takes only without their gradient."""

    device = "somewhere"

    def __init__(self, values, gradient=False):
        self.values, self.gradient = np.asarray(values), gradient

    @property
    def shape(self):
        return self.values.shape

    @property
    def dtype(self):
        return self.values.dtype

    def __len__(self):
        return len(self.values)

    def __getitem__(self, key):
        return Tensor(self.values[key], self.gradient)

    def __array__(self, dtype=None, copy=None):
        if self.gradient:
            raise RuntimeError("call detach() first")
        return np.asarray(self.values, dtype)

    def to(self, dtype=None, device=None):
        return Tensor(self.values.astype(dtype), self.gradient)

    def detach(self):
        return Tensor(self.values)

    def clone(self):
        return Tensor(self.values.copy(), self.gradient)


class Module:
    """A module: called, it runs the hooks around ``forward``."""

    def __init__(self, *children):
        self.training, self.before, self.after = True, [], []
        self._children = children

    def children(self):
        return iter(self._children)

    def modules(self):
        return [self, *(inner for child in self._children for inner in child.modules())]

    def named_modules(self):
        return [("", self), *((str(i), child) for i, child in enumerate(self._children))]

    def parameters(self):
        return (one for child in self._children for one in child.parameters())

    def eval(self):
        for module in self.modules():
            module.training = False

    def register_forward_pre_hook(self, hook):
        return self._registered(self.before, hook)

    def register_forward_hook(self, hook):
        return self._registered(self.after, hook)

    def _registered(self, hooks, hook):
        hooks.append(hook)
        return SimpleNamespace(remove=lambda: hooks.remove(hook))

    def __call__(self, x):
        for hook in self.before:
            hook(self, (x,))
        output = self.forward(x)
        for hook in self.after:
            hook(self, (x,), output)
        return output


class Linear(Module):
    """W x + b."""

    def __init__(self, inputs, outputs, seed=0, dtype=np.float32):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.weight, self.bias = (Tensor(rng.standard_normal(s).astype(dtype)) for s in ((inputs, outputs), outputs))

    def parameters(self):
        return iter((self.weight, self.bias))

    def forward(self, x):
        assert x.dtype == self.weight.dtype, "the input has another type than the weights"
        return Tensor(x.values @ self.weight.values + self.bias.values, gradient=not _QUIET)


class ReLU(Module):
    """The positive part."""

    def forward(self, x):
        return Tensor(np.maximum(x.values, 0), x.gradient)


class Dropout(Module):
    """Zeros at random, while it trains."""

    def forward(self, x):
        kept = np.random.default_rng().random(x.shape) < 0.5 if self.training else 1
        return Tensor(x.values * kept, x.gradient)


class Sequential(Module):
    """Modules one after the other."""

    def __iter__(self):
        return self.children()

    def forward(self, x):
        for child in self.children():
            x = child(x)
        return x


_QUIET: list[bool] = []  # not empty where gradients are switched off


@contextmanager
def no_grad():
    _QUIET.append(True)
    try:
        yield
    finally:
        _QUIET.pop()


#: What is looked up in the module itself.
torch = SimpleNamespace(
    no_grad=no_grad,
    float32=np.dtype(np.float32),
    promote_types=np.promote_types,
    as_tensor=lambda x: x if isinstance(x, Tensor) else Tensor(x),
)
