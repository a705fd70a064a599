"""Options of a problem: which go together, which each theory covers (it refuses the others), and their reductions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from theorycalc.errors import ArgumentError, DomainError, about, called, spelled
from theorycalc.model.parameters import LAYERS, PARAMETERS
from theorycalc.numbers.exact import Scalar, is_zero
from theorycalc.numbers.systems import Number

if TYPE_CHECKING:
    from theorycalc.model.problem import Problem

_FLAG_WORDS = {
    "intercept": "the fit has an intercept",
    "centred": "the activation keeps its mean",
    "centred_labels": "the labels keep their mean",
}

_WHOLE = Fraction(1)
_ISOTROPIC = {"inputs": "only inputs without a covariance are known there"}

#: The options that a theory does not know, with the reasons, by the words that name it.
UNKNOWN: dict[str, dict[str, str]] = {
    "limits": {},
    "error rates": {},
    "error rates after finite steps": _ISOTROPIC,
    "dressed features": {},
    "isotropic features": {},
    "the pencil": _ISOTROPIC,
    "spectra": _ISOTROPIC,
    "spectra of weights": _ISOTROPIC,
    "formulas": {
        "inputs": "use inputs_Delta, inputs_Lambda, inputs_direction or spectral_equations, which take no problem"
    },
    "simulations": {},
}

#: The options that finite steps do not know for inputs with a covariance, with the reasons.
UNKNOWN_WITH_INPUTS = {
    "centred": "the constant of a raw activation interacts with the lengths of the inputs",
    "centred_labels": "the mean of the labels changes neurons differently along each eigenvector",
    "steps": "later batches find the eigenvectors of large eigenvalues again, which is not derived",
}


def check_direction(problem: Problem) -> None:
    """Refuse activations with c_1 = 0, for which there is no theory of the step; they can be simulated.

    >>> from theorycalc.model.problem import Problem
    >>> check_direction(Problem("(x + 1)**2", "H1", 1, 1, 1))
    """
    with about("activation"):
        lacking = all(is_zero(kind.c1) for kind in problem.unit_kinds)
    if lacking:
        raise DomainError(
            f"activation {problem.activation.name} has c_1 = 0, so the gradient step has no direction to learn along; "
            "shift its argument, as (x + 1)**2 shifts x**2",
            argument="activation",
        )


def check_supported(problem: Problem, theory: str) -> None:
    """Refuse a problem with an option that a theory does not cover, or whose step has no direction.

    >>> from theorycalc.model.problem import Problem
    >>> check_supported(Problem("relu", "H1", 1, 1, 1), "limits")
    """
    for name, reason in UNKNOWN[theory].items():
        if name in problem.options:
            value = problem.options[name]
            shown = spelled(name, value if isinstance(value, bool) else getattr(value, "words", str(value)))
            raise ArgumentError(f"{shown} is not part of {theory}: {reason}", argument=name)
    if theory != "simulations":
        check_direction(problem)


def check_steps_of_inputs(problem: Problem) -> None:
    """Refuse options that finite steps do not cover together with inputs that have a covariance.

    >>> from theorycalc.model.problem import Problem
    >>> check_steps_of_inputs(Problem("relu", "H1", 1, 1, 1, inputs="two_level(4)", intercept=True))
    """
    if problem.inputs is None:
        return
    given = problem.options
    known = {name: reason for name, reason in UNKNOWN_WITH_INPUTS.items() if name in given}
    if problem.second_layer == "constant":
        known["second_layer"] = "all neurons have one sign, and respond together to the lengths of the inputs"
    for name, reason in known.items():
        shown = spelled(name, given[name] if isinstance(given[name], bool | int) else str(given[name]))
        raise ArgumentError(
            f"{shown} is not derived for finite steps with {spelled('inputs')}: {reason}; use {called('predict')} for "
            "the limit, or leave one of them out",
            argument=name,
        )


def option_words(problem: Problem) -> list[str]:
    """Return, in words, the options that differ from their defaults, except those of the layers.

    >>> from theorycalc.model.problem import Problem
    >>> option_words(Problem("relu", "H1", 1, 1, 1, intercept=True, corrupt_fit="3/10"))
    ['the fit has an intercept', "share of the fit's labels that belong to other points p_f = 3/10"]
    """
    given = {name: value for name, value in problem.options.items() if name not in LAYERS}
    shown = {name: getattr(value, "words", value) for name, value in given.items()}
    return [
        _FLAG_WORDS.get(name) or f"{PARAMETERS[name].words} {PARAMETERS[name].symbol} = {value}"
        for name, value in shown.items()
    ]


def check_together(problem: Problem) -> None:
    """Refuse combinations of options that are each allowed alone.

    >>> from theorycalc.model.problem import Problem
    >>> check_together(Problem("relu", "H1", 1, 1, 1, intercept=True, centred_labels=False))
    """
    if problem.biases is not None and not problem.intercept:
        reason = f"{spelled('biases')} give each kind of neuron its own mean, which only an intercept absorbs"
        raise ArgumentError(f"{reason}: add {spelled('intercept', True)}", argument="biases")
    if problem.inputs is not None and problem.teacher.directions > 1:
        reason = f"{spelled('inputs')} has the shares of one direction of the teacher, and this one has several"
        raise ArgumentError(reason, argument="inputs")
    if problem.inputs is not None and problem.biases is not None:
        reason = f"{spelled('biases')} are known only for inputs without a covariance: leave {spelled('inputs')} out"
        raise ArgumentError(reason, argument="biases")
    if not is_zero(problem.label_mean) and not problem.has_free_constant:
        raise ArgumentError(
            f"{spelled('centred_labels', False)}: labels with a mean need a constant in the fit, "
            f"{spelled('intercept', True)} or {spelled('centred', False)} with an activation that has a mean",
            argument="centred_labels",
        )


def check_steps(problem: Problem, gradient: str) -> None:
    """Refuse several steps on the residual.

    >>> from theorycalc.model.problem import Problem
    >>> check_steps(Problem("relu", "H1", 1, 1, 1, steps=4), "labels")
    """
    if problem.steps > 1 and gradient == "residual":
        raise ArgumentError(
            f"{spelled('steps', problem.steps)}: large steps on the residual diverge, since after the first one the "
            f"output is of the order of η; use {spelled('gradient', 'labels')}",
            argument="steps",
        )


def fidelity(corrupt: Scalar, flip: Scalar) -> Scalar:
    """Return a = (1 − p)(1 − 2q), the part of its label that a point keeps on average.

    See docs/theory/channels.md.

    >>> fidelity(Fraction(1, 2), Fraction(1, 4))
    Fraction(1, 4)
    """
    if not corrupt and not flip and isinstance(corrupt, Fraction):
        return _WHOLE  # of most problems: this is asked for each prediction
    return (1 - corrupt) * (1 - 2 * flip)


def mean_sign(flip: Scalar) -> Scalar:
    """Return b = 1 − 2q, by which flips multiply the labels' mean (docs/theory/channels.md#labels-with-a-mean).

    >>> mean_sign(Fraction(1, 4))
    Fraction(1, 2)
    """
    return 1 - 2 * flip if flip else _WHOLE


def flipped_energy(sign: Number, mean: Number) -> Number:
    """Return (1 − b²)μ², the energy of the mean of labels that flips turn into noise.

    See docs/theory/channels.md#labels-with-a-mean.

    >>> flipped_energy(0.5, 2)
    3.0
    """
    return (1 - sign**2) * mean**2


def unit_step(steps: Scalar | int, first_scale: Scalar, second_scale: Scalar) -> Scalar:
    """Return T g_a/g_w², the factor that turns T steps of a network into one step of a network with both scales 1.

    See docs/theory/options.md#scales.

    >>> unit_step(1, Fraction(2), Fraction(3))
    Fraction(3, 4)
    """
    return steps * second_scale / first_scale**2
