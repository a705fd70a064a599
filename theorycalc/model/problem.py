"""The description of one case: what is trained, on what, and how.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from theorycalc.errors import ArgumentError, DomainError, checked_construction, one_of
from theorycalc.model.activation import Activation
from theorycalc.model.reading import activation
from theorycalc.model.teacher import read_teacher
from theorycalc.numbers.exact import Exact, is_array, is_negative, is_zero, read, read_rational, spell, whole

FIRST_LAYERS = ("sphere", "gaussian")
GRADIENTS = ("residual", "labels")  # of a network of real size: on y − f₀, or on the labels alone
SECOND_LAYERS = ("gaussian", "sign", "constant")
POSITIVE = "a positive whole number"


@checked_construction
@dataclass(frozen=True)
class Problem:
    """A two-layer network and its data: activation, teacher, ratios or sizes, ridge and noise.

    The labels are y = σ⋆(β⋆·x) + σ_ε·ε with Gaussian inputs x.  One gradient step trains the first layer on one batch;
    a ridge fit of the second layer uses another, independent batch of n points.

    Parameters
    ----------
    activation
        σ: a name or a formula such as "relu" or "tanh(x + 1)", a function (of numpy, torch or JAX), Hermite
        coefficients such as {1: 1, 2: "1/2"}, or an :class:`Activation`.
    teacher
        σ⋆: a formula such as "H1 + H2/2" or "sin(x)", a function, Hermite coefficients, or a :class:`Teacher`.
    phi, psi
        The ratios φ = d/n and ψ = d/N, positive.
    ridge
        λ ≥ 0 in (1/n)‖y − Fa‖² + λ‖a‖².
    noise
        σ_ε ≥ 0, the standard deviation of the label noise.
    first_layer
        Rows of W₀ on the unit "sphere", or "gaussian": N(0, I_d/d).
    second_layer
        The law of √N·a: "gaussian" N(0, 1), "sign" ±1, or "constant" 1.
    step_samples
        The size n₀ of the gradient step's batch: a number of points where sizes are given, n₀/n where ratios are.
        None: n₀ = n.
    n, d, N
        Sizes in the place of ratios: n samples, d inputs, N neurons.

    Raises
    ------
    TheoryError
        An argument is missing, of the wrong kind, or out of its range.

    >>> Problem("relu", teacher="H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10").phi
    Fraction(1, 2)
    >>> Problem("relu", teacher="H1 + H2/sqrt(2)", n=900, d=300, N=600, ridge="1/10").phi
    Fraction(1, 3)
    """

    activation: Any  # an Activation once constructed; its name or formula, a function or {k: c_k} before
    teacher: Any  # a Teacher once constructed; a formula, a function, {k: c_⋆k} or a list of coefficients before
    phi: Any = None
    psi: Any = None
    ridge: Any = None
    noise: Any = 0
    first_layer: str = "sphere"
    second_layer: str = "gaussian"
    step_samples: Any = None
    n: Any = None
    d: Any = None
    N: Any = None

    def __post_init__(self) -> None:
        known: Activation = activation(self.activation)
        if is_zero(known.c1):
            raise DomainError(
                f"activation {known.name} has c_1 = 0: the gradient step has no rank-one part, so no spike at any ℓ"
            )
        if self.ridge is None:
            raise ArgumentError("Problem() needs ridge=, the λ of the ridge fit (weight decay of the second layer)")
        values = {
            "activation": known,
            "teacher": read_teacher(self.teacher),
            **self._ratios_and_sizes(),
            "ridge": not_negative(read_rational(_one(self.ridge, "ridge"), "ridge"), "ridge"),
            "noise": not_negative(read(_one(self.noise, "noise"), "noise"), "noise"),
            "first_layer": one_of(self.first_layer, "first_layer", FIRST_LAYERS),
            "second_layer": one_of(self.second_layer, "second_layer", SECOND_LAYERS),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _ratios_and_sizes(self) -> dict[str, Any]:
        """Return φ, ψ, n₀ and, where they are given, n, d, N; ratios beside sizes must be those of the sizes."""
        given = {"n": self.n, "d": self.d, "N": self.N}
        missing = [name for name, size in given.items() if size is None]
        samples = self.step_samples
        if len(missing) == len(given):
            if self.phi is None or self.psi is None:
                raise ArgumentError("Problem() needs the ratios phi= (d/n) and psi= (d/N), or the sizes n=, d= and N=")
            ratios = {"phi": positive(self.phi, "phi"), "psi": positive(self.psi, "psi")}
            return ratios | {"step_samples": None if samples is None else positive(samples, "step_samples")}
        if missing:
            lacking = " and ".join(f"{name}=" for name in missing)
            raise ArgumentError(f"Problem() has sizes without {lacking}; give n=, d= and N=, or phi= and psi=")
        sizes = {name: whole(size, name, POSITIVE) for name, size in given.items()}
        ratios = {"phi": Fraction(sizes["d"], sizes["n"]), "psi": Fraction(sizes["d"], sizes["N"])}
        for name, ratio in ratios.items():
            stated = getattr(self, name)
            if stated is not None and positive(stated, name) not in (ratio, float(ratio)):
                raise ArgumentError(f"{name}={stated} contradicts the sizes, of which it is {ratio}")
        return ratios | sizes | {"step_samples": None if samples is None else whole(samples, "step_samples", POSITIVE)}

    @property
    def has_sizes(self) -> bool:
        """Whether n, d and N are given, and not only their ratios.

        >>> Problem("relu", "H1", n=900, d=300, N=600, ridge="1/10").has_sizes
        True
        """
        return self.n is not None

    @property
    def step_ratio(self) -> Fraction | float:
        """n₀/n, the size of the gradient step's batch by that of the fit's.

        >>> Problem("relu", "H1", n=900, d=300, N=600, ridge="1/10", step_samples=300).step_ratio
        Fraction(1, 3)
        """
        if self.step_samples is None:
            return Fraction(1)
        return Fraction(self.step_samples, self.n) if self.has_sizes else self.step_samples

    def to_dict(self) -> dict[str, Any]:
        """Return the inputs as JSON shows them: exact numbers as text."""
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        shown["activation"] = self.activation.to_dict()
        shown["teacher"] = self.teacher.to_dict()
        for name in ("phi", "psi", "ridge", "noise"):
            shown[name] = spell(shown[name])
        if isinstance(self.step_samples, Fraction):
            shown["step_samples"] = spell(self.step_samples)
        return shown


def positive(value: Any, name: str) -> Fraction | float:
    """Return a number that must be positive and rational."""
    number = read_rational(_one(value, name), name)
    if number <= 0:
        raise DomainError(f"{name}={value} must be positive")
    return number


def not_negative(number: Exact, name: str) -> Exact:
    """Return a number that must not be negative."""
    if is_negative(number):
        raise DomainError(f"{name}={number} must not be negative")
    return number


def _one(value: Any, name: str) -> Any:
    if is_array(value, name):
        raise ArgumentError(f"{name}: a Problem is one case; pass an array to predict(problem, {name}=…)")
    return value
