"""The description of one case: what is trained, on what, and how (theory section 1)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from theorycalc.activations.activation import Activation, activation
from theorycalc.activations.teacher import read_teacher
from theorycalc.errors import ArgumentError, DomainError, checked_call, checked_construction, one_of
from theorycalc.exact import Exact, is_negative, is_zero, read, read_rational, spell, whole

FIRST_LAYERS = ("sphere", "gaussian")
INITIAL_OUTPUTS = ("neglected", "included")
SECOND_LAYERS = ("gaussian", "sign", "constant")
GRADIENTS = ("residual", "labels")


@checked_construction
@dataclass(frozen=True)
class Problem:
    """One case of the theory: activation, teacher, φ = d/n, ψ = d/N, ridge λ and noise σ_ε.

    ``first_layer``: rows of W₀ on the unit sphere, or N(0, I_d/d).  ``initial_output``: whether the
    gradient step sees the labels alone ("neglected", as printed) or the true residual y − f₀
    ("included").  ``second_layer``: the law of √N·a, N(0, 1), ±1 or 1.  ``step_samples``: the size of
    the gradient step's batch divided by n (None: the same size).

    The activation and the teacher are text (a name or a formula), or objects that say less or more.

    >>> Problem("relu", teacher="H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10").phi
    Fraction(1, 2)
    """

    activation: Any  # an Activation once constructed; its name or formula before
    teacher: Any  # a Teacher once constructed; a formula or a list of coefficients before
    phi: Any
    psi: Any
    ridge: Any
    noise: Any = 0
    first_layer: str = "sphere"
    initial_output: str = "neglected"
    second_layer: str = "gaussian"
    step_samples: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.activation, (Activation, str)):
            raise DomainError(
                f"activation={self.activation!r} is not an Activation; write its name or formula, or make one with "
                "Activation.from_moments(c1=…, c_rest=…) or Activation.from_coefficients([c_1, c_2, …])"
            )
        known = activation(self.activation)
        if is_zero(known.c1):
            raise DomainError(
                f"activation {known.name} has c_1 = 0: the gradient step has no rank-one part, so no spike at any ℓ"
            )
        values = {
            "activation": known,
            "teacher": read_teacher(self.teacher),
            "phi": positive(self.phi, "phi"),
            "psi": positive(self.psi, "psi"),
            "ridge": not_negative(read_rational(_one(self.ridge, "ridge"), "ridge"), "ridge"),
            "noise": not_negative(read(_one(self.noise, "noise"), "noise"), "noise"),
            "first_layer": one_of(self.first_layer, "first_layer", FIRST_LAYERS),
            "initial_output": one_of(self.initial_output, "initial_output", INITIAL_OUTPUTS),
            "second_layer": one_of(self.second_layer, "second_layer", SECOND_LAYERS),
            "step_samples": None if self.step_samples is None else positive(self.step_samples, "step_samples"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    @checked_call
    def from_sizes(
        cls,
        activation: Any,
        teacher: Any,
        n: int,
        d: int,
        N: int,
        ridge: Any,
        noise: Any = 0,
        first_layer: str = "sphere",
        initial_output: str = "neglected",
        second_layer: str = "gaussian",
        step_samples: int | None = None,
    ) -> Problem:
        """Describe a case by its sizes: n samples, d inputs, N neurons, ``step_samples`` in the step.

        >>> act = Activation.from_moments(c1="1/2", c_rest="3/10")
        >>> Problem.from_sizes(act, ["1"], n=2000, d=1000, N=1500, ridge="1/10").psi
        Fraction(2, 3)
        """
        n, d, N = (whole(size, name, "a positive whole number") for name, size in (("n", n), ("d", d), ("N", N)))
        if step_samples is not None:
            step_samples = whole(step_samples, "step_samples", "a positive whole number")
        return cls(
            activation,
            teacher,
            phi=Fraction(d, n),
            psi=Fraction(d, N),
            ridge=ridge,
            noise=noise,
            first_layer=first_layer,
            initial_output=initial_output,
            second_layer=second_layer,
            step_samples=None if step_samples is None else Fraction(step_samples, n),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the inputs as JSON shows them: exact numbers as text."""
        shown = {f.name: getattr(self, f.name) for f in fields(self)}
        shown["activation"] = self.activation.to_dict()
        shown["teacher"] = self.teacher.to_dict()
        for name in ("phi", "psi", "ridge", "noise", "step_samples"):
            shown[name] = None if shown[name] is None else spell(shown[name])
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
    if isinstance(value, (list, tuple)) or getattr(value, "shape", ()) != ():
        raise ArgumentError(f"{name}: a Problem is one case; pass an array to predict(problem, {name}=…)")
    return value
