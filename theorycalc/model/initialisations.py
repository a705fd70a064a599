"""Initialisations of libraries as our scales and laws of the layers, and the other way round (docs/conventions.md).

Entries of W₀ with the standard deviation v make rows of the length g_w = v√d, entries of a with v make g_a = v√N.
Squared lengths of rows with independent entries have the relative variance (k − 1)/d, k = E x⁴/(E x²)²: 2/d for normal
entries, which is first_layer="gaussian", and 4/(5d) for uniform ones, nearer to the sphere, where it is 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from theorycalc.errors import ArgumentError, DomainError, one_of, spelled
from theorycalc.model.enums import FirstLayer, Option, SecondLayer
from theorycalc.model.points import read_scalar
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import NumberLike, Scalar, is_zero, root, whole


class EntryLaw(Option):
    """The law of the entries of both layers."""

    NORMAL = "normal", "normal, or normal with its tails cut off"
    UNIFORM = "uniform", "uniform around 0"


class Layers(NamedTuple):
    """The options of a Problem that say how its layers are drawn: ``Problem(…, **layers._asdict())``."""

    first_scale: Scalar
    second_scale: Scalar
    first_layer: FirstLayer
    second_layer: SecondLayer


class Entries(NamedTuple):
    """Standard deviations of the entries of W₀ and a, and the bounds of uniform entries, ±√3 times as large."""

    first_std: Scalar
    second_std: Scalar
    first_bound: Scalar
    second_bound: Scalar


class Initialisation(NamedTuple):
    """A library's initialisation: the law of the entries, and their variance, ``gain`` divided by a layer's inputs."""

    gain: Fraction | None  # None: 2 by the inputs and outputs together
    law: EntryLaw
    words: str

    def square(self, inputs: int, outputs: int) -> Fraction:
        """Return the number of inputs times the variance: the squared scale of a layer."""
        return Fraction(2 * inputs, inputs + outputs) if self.gain is None else self.gain


_NORMAL, _UNIFORM = EntryLaw
INITIALISATIONS = {
    "torch": Initialisation(Fraction(1, 3), _UNIFORM, "torch.nn.Linear as it comes: U(±1/√fan_in)"),
    "he_normal": Initialisation(Fraction(2), _NORMAL, "torch's kaiming_normal_, Keras' he_normal: variance 2/fan_in"),
    "he_uniform": Initialisation(Fraction(2), _UNIFORM, "torch's kaiming_uniform_, Keras' he_uniform"),
    "glorot_normal": Initialisation(None, _NORMAL, "torch's xavier_normal_: variance 2/(fan_in + fan_out)"),
    "glorot_uniform": Initialisation(None, _UNIFORM, "torch's xavier_uniform_, Keras' Dense as it comes"),
    "lecun_normal": Initialisation(Fraction(1), _NORMAL, "Flax' Dense as it comes: variance 1/fan_in"),
    "lecun_uniform": Initialisation(Fraction(1), _UNIFORM, "Keras' lecun_uniform"),
}
LAWS = {_NORMAL: (FirstLayer.GAUSSIAN, SecondLayer.GAUSSIAN), _UNIFORM: (FirstLayer.SPHERE, SecondLayer.UNIFORM)}


@checked_call
def layers_from(initialisation: str, *, d: NumberLike | None = None, N: NumberLike | None = None) -> Layers:
    """Return the lengths and laws of layers drawn by a library.

    Parameters
    ----------
    initialisation : str
        "torch", as torch.nn.Linear comes; "he_normal", "he_uniform" (kaiming, with the gain of ReLU in both layers);
        "glorot_normal", "glorot_uniform" (xavier, which need d and N); "lecun_normal", "lecun_uniform".
    d, N : int, optional
        Numbers of inputs and neurons.

    Raises
    ------
    TheoryError
        The initialisation is not known, or d and N are missing.

    >>> layers_from("torch")
    Layers(first_scale=sqrt(3)/3, second_scale=sqrt(3)/3, first_layer='sphere', second_layer='uniform')
    >>> layers_from("glorot_normal", d=300, N=100).first_scale
    sqrt(6)/2
    """
    words = {name: known.words for name, known in INITIALISATIONS.items()}
    found = INITIALISATIONS[one_of(initialisation, "initialisation", INITIALISATIONS, words)]
    inputs, neurons = (1 if value is None else whole(value, name) for name, value in (("d", d), ("N", N)))
    for name, value in (("d", d), ("N", N)):
        if value is None and found.gain is None:
            raise ArgumentError(f"initialisation {initialisation!r} needs d and N; {name} is not given", argument=name)
    return Layers(root(found.square(inputs, neurons)), root(found.square(neurons, 1)), *LAWS[found.law])


@checked_call
def layers_of(
    first_std: NumberLike, second_std: NumberLike, *, d: NumberLike, N: NumberLike, law: str = EntryLaw.NORMAL
) -> Layers:
    """Return the lengths and laws of layers whose entries have these standard deviations.

    Parameters
    ----------
    first_std, second_std : number > 0
        Standard deviations of the entries of W₀ and a; of uniform ones it is their bound by √3.
    d, N : int
        Numbers of inputs and neurons.
    law : {"normal", "uniform"}, default "normal"
        The law of the entries.

    >>> layers_of("1/50", "1/10", d=400, N=100).first_scale
    Fraction(2, 5)
    """
    laws = LAWS[one_of(law, "law", EntryLaw)]
    first = _scale(first_std, "first_std", whole(d, "d"))
    return Layers(first, _scale(second_std, "second_std", whole(N, "N")), *laws)


def _scale(std: NumberLike, name: str, size: int) -> Scalar:
    number = read_scalar(std, name)
    if is_zero(number):
        raise DomainError(f"{name}={std} must be positive", argument=name)
    return times(number, root(Fraction(size)))


@checked_call
def entries_of(problem: Problem) -> Entries:
    """Return the standard deviations and bounds that make a library draw the layers of a problem with sizes.

    Parameters
    ----------
    problem : Problem
        A problem with n, d and N.

    Raises
    ------
    TheoryError
        The problem has ratios only.

    >>> problem = Problem("relu", "H1", n=800, d=400, N=600, ridge="1/10", **layers_from("torch")._asdict())
    >>> entries_of(problem).first_bound  # 1/√d
    Fraction(1, 20)
    """
    check_problem(problem, "entries_of")
    if problem.d is None or problem.N is None:
        reason = f"entries depend on {spelled('d')} and {spelled('N')}: give sizes to the problem"
        raise ArgumentError(reason, argument="problem")
    first = times(problem.first_scale, root(Fraction(1, problem.d)))
    second = times(problem.second_scale, root(Fraction(1, problem.N)))
    bound = root(Fraction(3))
    return Entries(first, second, times(first, bound), times(second, bound))


def times(one: Scalar, other: Scalar) -> Scalar:
    """Return a product, exact if both factors are, and as a Fraction if it is rational.

    >>> times(root(Fraction(3)), root(Fraction(1, 3))), times(0.5, root(Fraction(4)))
    (Fraction(1, 1), 1.0)
    """
    if isinstance(one, float) or isinstance(other, float):
        return float(one) * float(other)
    product = one * other
    if isinstance(product, Fraction) or not product.is_Rational:
        return product
    return Fraction(int(product.p), int(product.q))
