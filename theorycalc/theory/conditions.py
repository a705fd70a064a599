"""The conditions of the theorems, and which of them a problem meets.

See docs/theory/hermite.md#what-the-theorems-ask-for.
"""

from __future__ import annotations

import math
from fractions import Fraction

from theorycalc.errors import DomainError, spelled
from theorycalc.model.activation import Activation
from theorycalc.model.parameters import CHANNELS, FLAGS
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition, activation_conditions, check_slope
from theorycalc.model.spikes import ALL, NONE, Spikes
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.exact import EnclosedNumber, Exact, is_zero
from theorycalc.theory.case import ball_case, initial_variance_of, scatter
from theorycalc.theory.covariance import input_conditions
from theorycalc.theory.kind_spikes import COINCIDING, kind_conditions, kind_notes, kind_spikes, moving_kinds
from theorycalc.theory.plans import has_own_mean, mean_of_neurons

_LOWEST_EVEN_SOUGHT = 12  # k up to which the lowest even spike is looked for
_HIGHEST_RETURNING = 40  # power of a missing spike that is sought in higher coefficients
_NEGLIGIBLE = 0.01  # share of κ̃ below which the initial output counts as negligible
_SHARE_BITS = 100  # of that share, in balls: exact inputs may be beyond float64

#: A note on losses and gains of fits to corrupted labels.
ON_CORRUPTED = "losses and gains are those on labels as corrupted as the fit's, unless they are called clean"


def spikes_of(problem: Problem, ell: int | float, lengthened: bool = False) -> Spikes:
    """Return the spikes K that window ℓ shows; neurons with biases may show more once the step has ``lengthened`` them.

    Powers of a Gaussian or uniform a have different right singular vectors.  With a = ±1/√N the odd powers share one
    and the even powers another, with a constant all share one; since η²/N → 0 inside the windows, only the lowest power
    of each is left.  The constant c_0 of a raw activation, whose vector is that of the even powers, is the lowest.
    """
    if problem.biases is not None:
        return kind_spikes(problem, ell, lengthened)
    activation: Activation = problem.unit_activation
    known = activation.infinite_spikes() if ell == math.inf else Spikes(activation.spikes(int(ell)))
    if problem.second_layer not in COINCIDING or not known:
        return known
    if problem.has_free_constant and not problem.intercept:
        return Spikes((1,)) if problem.second_layer == "sign" else NONE
    if not known.is_finite and activation.knows_zeros:
        known = Spikes(activation.spikes(_LOWEST_EVEN_SOUGHT))
    evens = tuple(k for k in known.listed if k % 2 == 0)[:1] if known.is_finite else (2,)
    return Spikes((1, *evens) if problem.second_layer == "sign" else (1,))


def conditions_of(problem: Problem, ell: int | float, network: str, gradient: str = "labels") -> tuple[Condition, ...]:
    """Return every condition with its state; only the theorem asks for a negligible initial output f₀."""
    teacher = problem.teacher
    with_biases = problem.biases is not None
    of_neurons = kind_conditions(problem, ell) if with_biases else activation_conditions(problem.unit_activation, ell)
    first, present, smooth = of_neurons
    shares = (_initial_output(problem),) if network == "theorem" else ()
    return (
        first,
        present,
        Condition("c_⋆1 ≠ 0", not is_zero(teacher.coefficients[0])),
        smooth,
        Condition("the teacher is Lipschitz", teacher.lipschitz),
        Condition("rows of W₀ on the sphere", problem.first_layer == "sphere"),
        Condition("second layer a Gaussian", problem.second_layer == "gaussian"),
        *shares,
        Condition("both batches of the same size", problem.step_ratio == 1),
        *_extensions(problem),
        *input_conditions(problem, gradient),
    )


def _extensions(problem: Problem) -> tuple[Condition, ...]:
    """Return the conditions implicit in the theorem that a problem breaks."""
    given = problem.options.keys()
    broken = {
        "a fit without intercept, of centred activations and labels": given & {*FLAGS},
        "a teacher of one direction": problem.teacher.directions > 1,
        "one gradient step": given & {"steps"},
        "labels that are not corrupted": given & {*CHANNELS},
    }
    return tuple(Condition(words, False) for words, by in broken.items() if by)


def _initial_output(problem: Problem) -> Condition:
    """Return the condition that the initial output is negligible, judged by its share of κ̃."""
    if problem.unit_activation.c2 is None and problem.second_layer == "constant":
        return Condition("the network's initial output f₀ is negligible in its step", None)
    with ball_precision(_SHARE_BITS):
        case = ball_case(problem, "residual")
        mean = ball(Fraction(0)) if problem.centred else case.output_scale * mean_of_neurons(problem)
        moments, ratio = case.moments, case.batch_ratio
        by_mean = scatter(mean**2, ball(Fraction(0)), ratio) * moments.square
        sampled = scatter(mean**2, initial_variance_of(case, case.psi), ratio)
        added = case.own_linear**2 * moments.cube + sampled * moments.square
        share = added / (case.kappa + by_mean)
        negligible = bool(share < _NEGLIGIBLE)
        shown = share.str(2, radius=False) if negligible else f"{float(share.mid()):.0%}"
    return Condition(
        f"the network's initial output f₀ is negligible in its step: its share of ‖β‖² is {shown}", negligible
    )


def network_note(problem: Problem, network: str, gradient: str, spikes: Spikes = NONE, as_printed: bool = False) -> str:
    """Return one line that names a prediction's limit, with these spikes; without Λ_ℓ if ``as_printed``.

    >>> network_note(Problem("relu", "H1", 1, 1, 1), "literal", "labels")
    'the limit of networks whose step is on the labels alone: it lengthens neurons, so their second spike is h² + τ'
    """
    if network == "theorem" and (_extensions(problem) or problem.inputs is not None):
        return (
            "the theorem, extended to this network and its labels, for a step on the labels alone and spikes h^k; "
            "network='literal' is the limit that networks tend to"
        )
    if network == "theorem":
        gain = "" if as_printed else " Λ_ℓ with its factor restored,"
        return (
            f"the theorem: Δ_ℓ as the paper prints it,{gain} for a step on the labels alone; "
            "network='literal' is the limit that networks tend to"
        )
    step = "the residual y − f₀" if gradient == "residual" else "the labels alone"
    note = f"the limit of networks whose step is on {step}: it lengthens neurons, so their second spike is h² + τ"
    if not (problem.has_free_constant and spikes.has_even):
        return note
    use = "τ matters only since K has gaps" if spikes.has_gaps else "τ changes nothing"
    return f"{note}, but a constant is free: even spikes have no floor T²/S, and {use}"


def notes_of(
    problem: Problem, ell: int | float, spikes: Spikes, network: str = "theorem", gradient: str = "labels"
) -> tuple[str, ...]:
    """Return notes on a prediction: functions that were centred, assumed coefficients, extensions of the theorem."""
    activation, teacher = problem.unit_activation, problem.teacher
    notes = notes_of_functions(problem)
    if problem.biases is not None:
        return (
            *notes,
            *kind_notes(problem, ell, spikes, network),
            *notes_of_options(problem, spikes, gradient, network),
        )
    if ell == math.inf and activation.knows_zeros and not activation.infinite_spikes().is_finite:
        notes.append("c_k ≠ 0 is assumed for every k for which the activation's structure does not show c_k = 0")
    if ell > 1 and not activation.knows_zeros and problem.second_layer != "constant":
        notes.append("which c_k are zero is not known: all that ℓ needs are assumed not to be")
    listed = activation.listed
    if listed and ell > listed[-1] and not is_zero(activation.c_rest):
        notes.append(f"the activation lists no c_k ≠ 0 beyond k = {listed[-1]}: none is counted")
    if not spikes.is_finite and spikes != ALL:
        notes.append(f"spikes K: k = {spikes.beginning}, an extension of the paper's theorem")
    elif spikes and activation.knows_zeros and ell != math.inf and len(activation.spikes(int(ell))) < ell:
        powers = ", ".join(map(str, spikes.listed))
        notes.append(f"spikes K = {{{powers}}}: missing coefficients, an extension of the paper's theorem")
    if spikes.has_gaps:
        notes.append("K has gaps: the gain is the projection onto its powers, by exact orthogonalisation")
    notes += notes_of_options(problem, spikes, gradient, network)
    if network == "theorem" and spikes.has_even and (spikes.has_gaps or not problem.has_free_constant):
        notes.append(
            "even spikes have the paper's gains; those of a network differ (errata, the second spike): "
            "network='literal' has them"
        )
    if problem.second_layer in COINCIDING and ell > 1:
        notes.append(f"second_layer={problem.second_layer!r}: spikes of one parity coincide, the lowest remains")
    if is_zero(teacher.coefficients[0]):
        notes.append("c_⋆1 = 0: the step does not align with the teacher (ρ = 0), so nothing is gained")
    return tuple(notes)


def notes_of_options(problem: Problem, spikes: Spikes, gradient: str, network: str = "theorem") -> list[str]:
    """Return notes on options of a problem that go beyond the theorem, and on the changes they make.

    >>> notes_of_options(Problem("relu", "H1", 1, 1, 1, intercept=True), Spikes((1, 2)), "labels")
    ['a constant is free: even spikes have no floor T²/S']
    """
    notes = []
    if problem.inputs is not None:
        notes.append(f"inputs with a covariance, {problem.inputs.words}: an extension of the theorem")
    if network == "theorem" and problem.has_free_constant and spikes.has_even:
        notes.append("a constant is free: even spikes have no floor T²/S")
    if problem.second_layer in COINCIDING and problem.has_free_constant and not problem.intercept:
        lost = "even spikes" if problem.second_layer == "sign" else "all spikes"
        notes.append(f"second_layer={problem.second_layer!r}: the activation's mean takes the place of {lost}")
    if has_own_mean(problem, gradient):
        notes.append(
            "the initial output has the mean g_a c_0 Z, Z ~ N(0, 1), which differs from network to network: losses and "
            "gains are means over Z, κ is its mean, and ρ the root of the mean of ρ²"
        )
    if problem.steps > 1:
        first = "the limit for ℓ = 1; with more spikes, the terms of later steps with σ'' are left out"
        notes.append(f"{problem.steps} steps count as one with {problem.steps} times the points: {first}")
    if problem.fit_fidelity != 1:
        notes.append(ON_CORRUPTED)
    return notes


def _number(value: Exact) -> str:
    """Return an exact number in full, and any other number rounded for readers."""
    return f"{float(value):.6g}" if isinstance(value, (float, EnclosedNumber)) else str(value)


def notes_of_functions(problem: Problem) -> list[str]:
    """Return notes on Python functions, whose coefficients may be estimates, and on means subtracted or kept.

    >>> notes_of_functions(Problem("relu", "H1", "1/2", "2/3", "1/10"))
    ['the activation relu was centred: its mean 0.398942 was subtracted']
    >>> notes_of_functions(Problem(lambda x: x, abs, 1, 1, 1))[0]
    'the activation <lambda> is known by its values: its coefficients are estimates from two resolutions'
    """
    activation, teacher = problem.unit_activation, problem.teacher
    notes = [*problem.activation.notes(), *teacher.notes()]
    name = problem.activation.name
    if problem.biases is not None:
        notes.append(f"each neuron {'is less' if problem.centred else 'keeps'} its own mean c_0(b)")
    elif activation.has_mean and problem.centred:
        notes.append(f"the activation {name} was centred: its mean {_number(activation.mean)} was subtracted")
    elif activation.has_mean:
        notes.append(f"the activation {name} keeps its mean {_number(activation.mean)}: a constant is then free")
    if teacher.has_mean and problem.centred_labels:
        flips = [("step's", problem.flip_step), ("fit's", problem.flip_fit)]
        kept = [f"{1 - 2 * q} of it where signs of the {which} labels were flipped" for which, q in flips if q]
        notes.append(", ".join([f"the teacher's mean {_number(teacher.mean)} was removed", *kept]))
    elif teacher.has_mean:
        notes.append(f"labels keep their mean {_number(teacher.mean)}: the fit removes it, in the step it is scatter")
    return notes


def check_known(problem: Problem, ell: int | float, spikes: Spikes, gradient: str = "labels") -> None:
    """Refuse a prediction that needs unknown coefficients of the activation or teacher."""
    activation, teacher = problem.unit_activation, problem.teacher
    reach = spikes.largest
    if not teacher.has_all_coefficients and reach > len(teacher.coefficients) and teacher.covariance is None:
        if teacher.directions > 1:
            raise DomainError(
                f"{spelled('ell', ell)}: only c_⋆1 to c_⋆{len(teacher.coefficients)} are computed for a teacher of "
                "several directions that is not a polynomial",
                argument="ell",
            )
        wanted = "a covariance" if reach == math.inf else f"c_⋆k up to k = {reach}"
        raise DomainError(
            f"the teacher is known up to c_⋆{len(teacher.coefficients)}, and {spelled('ell', ell)} needs {wanted}; "
            f"give more coefficients, or covariance= for {spelled('ell', 'inf')}",
            argument="teacher",
        )
    if not teacher.has_all_coefficients and len(teacher.coefficients) < reach < math.inf:
        known = f"{len(teacher.coefficients)}; {spelled('ell', 'inf')} is the limit of all ℓ"
        remedy = "; give more coefficients" if teacher.name is None else f", and they are computed up to {known}"
        raise DomainError(f"{spelled('ell', ell)} needs the teacher's c_⋆k up to k = {reach}{remedy}", argument="ell")
    varied = "inputs" if problem.inputs is not None else "first_layer" if problem.first_layer == "gaussian" else None
    if activation.c2 is None and spikes.is_finite and spikes.has_even and varied is not None:
        raise DomainError(
            f"{spelled(varied, str(getattr(problem, varied)))} needs c_2, since the inputs of neurons differ in their "
            "variance; make the activation with Activation.from_coefficients",
            argument=varied,
        )
    if activation.c2 is None and problem.second_layer == "constant" and gradient == "residual":
        raise DomainError(
            f"{spelled('second_layer', 'constant')} with the gradient on the residual needs c_2 (the initial output "
            "then follows ‖x‖²); make the activation with Activation.from_coefficients",
            argument="second_layer",
        )


def check_residual_mean(problem: Problem, ell: int | float, spikes: Spikes, gradient: str) -> None:
    """Refuse missing spikes of a literal network if the mean of its residual brings them back.

    The mean δ makes neurons longer by 2c_2δu, in first order of u: by it c_k' makes h^k free from order (k + k')/2 on.
    See docs/theory/turning.md#every-ℓ.

    >>> check_residual_mean(Problem("relu", "H1", 1, 1, 1, intercept=True), 2, Spikes.up_to(2), "labels")
    """
    has_mean = has_own_mean(problem, gradient) or not is_zero(problem.label_mean)
    top = int(min(ell, spikes.largest if ell == math.inf else ell, _HIGHEST_RETURNING))
    missing = [k for k in range(1, top + 1) if k not in spikes.listed] if spikes.is_finite else []
    if not has_mean or not missing or (problem.biases is not None and problem.biases.law is not None):
        return
    turned = [kind for kind in moving_kinds(problem) if kind.c2 is None or not is_zero(kind.c2)]
    if problem.second_layer in COINCIDING:
        returning = problem.biases is not None and any(k < spikes.largest for k in missing) and bool(turned)
    else:
        pairs = ((k, other) for kind in turned for other in kind.spikes(2 * top) for k in missing)
        returning = any(k < other <= 2 * top - k and (other - k) % 2 == 0 for k, other in pairs)
    if returning:
        name, what = ("centred_labels", "labels") if not problem.centred_labels else ("centred", "raw neurons")
        raise DomainError(
            f"{spelled('network', 'literal')}: the limit with spikes K = {spikes}, of which some are missing, is not "
            f"known with the mean of {what} in the residual, by which the step lengthens neurons, so that missing "
            f"spikes return in part; leave {spelled(name, False)} out, or use {spelled('network', 'theorem')}",
            argument=name,
        )


def check_gradient(activation: Activation) -> None:
    """Refuse an activation with jumps: they contribute to c_1, but not to the gradient of a network.

    >>> check_gradient(Activation.from_text("sign(x)"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: activation sign(x) jumps, which the gradient of a network does not see: \
network='literal' has no limit for it, only the theorem has
    """
    if activation.is_continuous is False:
        raise DomainError(
            f"activation {activation.name} jumps, which the gradient of a network does not see: "
            f"{spelled('network', 'literal')} has no limit for it, only the theorem has",
            argument="activation",
        )
    if activation.derivative_source == "given":
        check_slope(activation, activation.derivative)
