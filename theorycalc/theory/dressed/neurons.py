"""The network after the step, in the limit: the outputs of neurons with each u at points with each h.

See docs/theory/dressed.md#the-network-after-the-step.

u = ηa_i is what the step did to neuron i, h the normalised projection of a point on the step direction.  The
pre-activation is s_u z + u c_1√κ h, s_u² = k_u² + u²v, and the answer splits into its mean over z, its part linear in
z, and noise.  k_u = 1 − mηa_i² is the length that its own output leaves of w_i.  Functions of h are kept by their
values at the nodes of a rule: no series is cut off.

‖x‖² fluctuates, ‖x‖²/d = 1 + δ with E δ² = 2/d, and all neurons follow it at once: μ_0 grows by δE[(z² − 1)σ]/2.
Given h, δ has the mean (h² − 1)/d, which is part of μ_0 here; the rest of δ is one more coordinate of a point
(docs/theory/dressed.md#the-norm-of-the-inputs).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.enums import SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import unit_functions
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case, float_case
from theorycalc.theory.dressed.beside_h import Beside, functions_beside
from theorycalc.theory.dressed.later_steps import LaterSteps, after_steps, labels_of_step
from theorycalc.theory.dressed.multi_index import MultiIndex, teacher_function
from theorycalc.theory.dressed.nodes_of_kinds import (
    KindStep,
    NodeKinds,
    factors,
    kept_length,
    kept_share,
    kind_step,
    over_kinds,
    row_square,
    symmetric,
)
from theorycalc.theory.dressed.options import CLEAN, PLAIN, LabelChannel, RidgeFit, fit_of, output_mean, step_channel
from theorycalc.theory.dressed.responses import Function, Responses, as_drawn, focused_rule, layer_rule

SomeSteps = TypeVar("SomeSteps", float, Array)

_WIDEST_FOCUS = 2.0
_TYPICAL_LARGE = 2.0  # standard deviations of a
_ROUNDING = 1e-14
_SMALLEST_NORM_SHAPE = 1e-5  # beside the largest; a form has its square
_OF_ALL_STEPS = ("step", "u_weights", "a", "h", "h_weights", "kinds", "beside", "later")


@dataclass(frozen=True)
class DressedStep:
    """The direction and the functions of a step, without its size η."""

    case: Case
    N: int
    c2: float
    spread: float  # v: the variance that the rest of the gradient adds to a pre-activation, per u²
    activation: Function
    slope_function: Function  # σ'
    teacher: Function | MultiIndex
    own_output: float = 0.0  # g_a E[Zσ(σ' − c_1)], if the residual has a neuron's own output: it shortens w_i by ηa_i²m
    step_scale: float = 1.0  # T g_a/g_w²: what makes the η of the network that of one whose scales are 1, as here
    isotropic: bool = False  # the rest of the gradient as even noise but for the spike of S; no own output, no ‖x‖²
    channel: LabelChannel = CLEAN  # what happens to the labels of the step
    fit: RidgeFit = PLAIN
    output_mean: float = 0.0  # g_a c_0: E f₀ of a network is this times Σâ_i, which is normal
    one_draw: bool = False  # whether u, h and r are only as large as in one draw of a network and its batches
    kinds: tuple[KindStep, ...] = ()  # of neurons with biases: they take the place of all that is said of neurons here
    count: int = 1  # T steps on fresh batches, which κ and v count as one

    @property
    def inputs(self) -> float:
        """The number of inputs, d = ψN."""
        return float(self.case.psi * self.N)

    @property
    def samples(self) -> float:
        """The number of points of the fit, n = d/φ."""
        return float(self.inputs / self.case.phi)

    @property
    def toward(self) -> tuple[Number, ...]:
        """The step direction b/‖b‖ in the directions: ρ along β⋆, or û, and √(1 − ρ²) along c."""
        seen = self.teacher.seen if isinstance(self.teacher, MultiIndex) else (1,)
        return *(self.case.rho * part for part in seen), self.case.off_teacher

    @property
    def open_part(self) -> tuple[Number, ...]:
        """The part of β⋆, or û, not determined by h, in the directions: √(1 − ρ²) along β⋆ and −ρ along c."""
        seen = self.teacher.seen if isinstance(self.teacher, MultiIndex) else (1,)
        return *(self.case.off_teacher * part for part in seen), -self.case.rho

    @property
    def spikes(self) -> tuple[Array, Array]:
        """The eigenvalues of the mean M of S, and its eigenvectors in columns: 2c_⋆2, along β⋆, for one direction."""
        if isinstance(self.teacher, MultiIndex):
            values, vectors = self.teacher.spikes
            return self.channel.fidelity * values, vectors
        return np.array([2 * self.case.step_quadratic]), np.eye(1)

    @property
    def laplacian(self) -> float:
        """E[y Σ(t_j² − 1)] of the fit's labels: 2c_⋆2 for one direction."""
        if isinstance(self.teacher, MultiIndex):
            return self.fit.channel.fidelity * float(np.trace(self.teacher.hessian))
        return float(2 * self.case.c_star_2)

    @property
    def turn(self) -> float:
        """2c_2E r, by which the mean of S changes w_i, per u (docs/theory/turning.md#labels-with-a-mean)."""
        return float(2 * self.c2 * self.case.residual_mean)

    @property
    def slope(self) -> float:
        """c_1√κ, by which the step shifts a pre-activation, per u and h."""
        return float(self.case.c1 * math.sqrt(self.case.kappa))

    def unit(self, eta: SomeSteps) -> SomeSteps:
        """Return the step with both scales 1 that is equivalent to the step η (docs/theory/options.md#scales)."""
        return eta * self.step_scale


@dataclass(frozen=True)
class Resolution:
    """The spacing of nodes in u and h, levels of the rules in z and r, and the sizes below which terms are dropped."""

    u_step: float = 0.385
    h_step: float = 0.385
    z_level: int = 0
    end: float = 7.5  # of u and h
    s_accuracy: float = 2e-9
    r_level: int = 0
    smallest_shape: float = 1e-6  # of α_r beside α_1, times η < 1 and √ψ < 1: smaller ones count as noise


@dataclass(frozen=True)
class Network:
    """The neurons' outputs at the nodes: arrays over (η, u, h), whose h-axis carries √weight where noted."""

    step: DressedStep
    eta: Array  # with both scales 1
    u_weights: Array
    a: Array  # of the nodes in u: u = ηa
    scale: Array  # s_u
    h: Array
    h_weights: Array
    mean: Array  # μ_0 √w_h
    linear: Array  # μ_1 √w_h
    loadings: Array  # α(u), and
    shapes: Array  # γ(h)√w_h, of orthonormal rows: μ_1√w_h = αγ
    noise: Array  # ν², without a weight
    kept: Array  # 1 − mηa², what its own output leaves of w_i
    quadratic: Array  # E[(z² − 1)σ]√w_h: twice the response of μ_0 to δ
    norm_loadings: Array  # of u, and
    norm_shapes: Array  # orthonormal rows over h: the factors of that
    kinds: NodeKinds | None = None  # of neurons with biases
    later: LaterSteps | None = None  # of several steps,
    beside: Beside | None = None  # and the functions that these add

    @property
    def c2(self) -> Number:
        """c_2 of the neurons, one for each node if there are several kinds, or after several steps."""
        return (self.later or self.kinds or self.step).c2

    @property
    def spread(self) -> Number:
        """The spread v of the neurons, at the same nodes as ``c2``."""
        return (self.later or self.kinds or self.step).spread

    @property
    def alone(self) -> Array:
        """The share of s_u² that belongs to the neuron alone: all of it after one step."""
        return np.ones_like(self.u) if self.later is None else self.later.alone

    @property
    def own(self) -> Array:
        """The neurons' part along W₀ᵀ(a∘c_1)/c_1, with c_1 the root mean square over kinds: a itself for one kind."""
        return self.a if self.kinds is None else self.a * self.kinds.c1 / float(self.step.case.c1)

    @property
    def u(self) -> Array:
        """The steps u = ηa of the neurons at each node, for every η."""
        return self.eta[:, None] * self.a

    def at(self, which: Array) -> Network:
        """Return the network with its steps reordered or repeated."""
        parts = {name: value[which] for name, value in vars(self).items() if name not in _OF_ALL_STEPS}
        parts |= {name: value and value.at(which) for name, value in (("later", self.later), ("beside", self.beside))}
        return replace(self, **parts)


def network_after(step: DressedStep, eta: Array, resolution: Resolution) -> Network:
    """Return the network after steps ``eta``, which may repeat; the last few are cached, for other ridges."""
    sizes, which = np.unique(eta, return_inverse=True)
    return _network_after(step, tuple(sizes.tolist()), resolution).at(which)


@functools.lru_cache(maxsize=32)
def _network_after(step: DressedStep, sizes: tuple[float, ...], resolution: Resolution) -> Network:
    eta = step.unit(np.array(sizes))
    u_focus, h_focus = _focus(step, float(eta.max()))
    nodes, u_weights = layer_rule(step.case.second_layer, resolution.u_step, resolution.end, u_focus)
    h, h_weights = focused_rule(resolution.h_step, resolution.end, h_focus)
    if step.one_draw:
        h, h_weights = as_drawn(h, h_weights, step.samples)
        if step.case.second_layer == SecondLayer.GAUSSIAN:  # other laws end
            nodes, u_weights = as_drawn(nodes, u_weights, step.N)
    a = nodes / math.sqrt(step.N)
    of_kinds, kinds, later, layer = [_of_kind(step, kind) for kind in step.kinds] or [step], None, None, a
    if step.kinds:
        kinds, a, u_weights = over_kinds(step.kinds, a, u_weights)
    if step.count > 1 and isinstance(step.teacher, Function):  # along û alone later steps would be no better
        slopes = [kind.slope_function for kind in of_kinds]
        labels = labels_of_step(step.case, step.teacher, step.channel, resolution.z_level)
        later = after_steps(step.case, slopes, labels, step.count, eta[:, None] * a, u_weights, resolution.z_level)
    moved = [later and later.of_kind(i, len(of_kinds)) for i in range(len(of_kinds))]
    parts = [_outputs(kind, eta, layer, h, resolution.z_level, one) for kind, one in zip(of_kinds, moved, strict=True)]
    kept, scale = (np.concatenate(part, axis=1) for part in list(zip(*parts, strict=True))[:2])
    found = Responses(*(np.concatenate(part, axis=1) for part in zip(*(part[2] for part in parts), strict=True)))
    if not np.isfinite(found.variance).all():
        raise DomainError(
            f"the activation overflows float64 after a step of η = {max(sizes):g}; take a smaller one", argument="eta"
        )
    root = np.sqrt(h_weights)
    linear, quadratic = found.linear * root, found.quadratic * root
    follows = 0 * quadratic if step.isotropic or step.case.levels else quadratic  # ‖x‖²
    norm_loadings, norm_shapes = factors(follows, u_weights, np.full(len(eta), _SMALLEST_NORM_SHAPE))
    loadings, shapes = factors(linear, u_weights, _smallest_shape(step, eta, resolution))
    shared = 0.0 if later is None else ((1 - later.alone[:, :, None]) * found.quadratic) ** 2 / 2  # by neurons of one u
    return Network(
        step=step,
        eta=eta,
        u_weights=u_weights,
        a=a,
        scale=scale,
        h=h,
        h_weights=h_weights,
        mean=found.mean * root + follows * (h**2 - 1) / (2 * step.inputs),
        linear=linear,
        loadings=loadings,
        shapes=shapes,
        noise=np.maximum(found.variance - (loadings @ shapes / root) ** 2 - shared, 0.0),  # up to rounding
        kept=kept,
        quadratic=quadratic,
        norm_loadings=norm_loadings,
        norm_shapes=norm_shapes,
        kinds=kinds,
        later=later,
        beside=later and functions_beside(later, linear, quadratic, u_weights),
    )


def _outputs(
    step: DressedStep, eta: Array, a: Array, h: Array, level: int, later: LaterSteps | None
) -> tuple[Array, Array, Responses]:
    """Return k_u and s_u for the neurons at the nodes of one kind, and their responses."""
    u = eta[:, None] * a
    kept = kept_share(0.0 if step.isotropic else step.own_output, eta[:, None], a**2) + step.turn * u
    scale = np.sqrt(row_square(kept_length(step.case, kept), step.spread, eta[:, None], a**2))
    center = step.slope * u[:, :, None] * h
    if later is not None:
        kept, scale, center = later.kept, later.scale, later.along[:, :, None] * h
    scales = np.broadcast_to(scale[:, :, None], center.shape)
    return kept, scale, symmetric(step.activation, bool(later or step.turn), center, scales, level)


def _of_kind(step: DressedStep, kind: KindStep) -> DressedStep:
    """Return the step as seen by the neurons of one kind."""
    numbers = {name: getattr(kind, name) for name in ("c2", "spread", "activation", "slope_function", "own_output")}
    return replace(step, case=replace(step.case, c1=kind.c1), kinds=(), **numbers)


def _smallest_shape(step: DressedStep, eta: Array, resolution: Resolution) -> Array:
    """Return the size of α_r relative to α_1 below which a shape may count as noise: gains are ∝ η², noise is ∝ α_r²/ψ.

    The fit learns a shape as soon as α_r²/ψ, the eigenvalue of its d features, is beyond ς(h).
    """
    smallest: Array = resolution.smallest_shape * min(1.0, math.sqrt(step.case.psi)) * np.minimum(eta, 1.0)
    return np.maximum(smallest, _ROUNDING)


def _focus(step: DressedStep, eta: float) -> tuple[float, float]:
    """Return the scales of √N a and h below which answers change: where u c_1√κ, u√v and u c_1√κh/s_u are about 1."""
    if step.kinds:
        u_foci, h_foci = zip(*(_focus(_of_kind(step, kind), eta) for kind in step.kinds), strict=True)
        return min(u_foci), min(h_foci)
    size = eta / math.sqrt(step.N)
    most = _TYPICAL_LARGE * size
    changes = max(abs(step.slope), math.sqrt(step.spread), abs(step.turn))
    steepest = most * abs(step.slope) / math.sqrt(1 + step.spread * most**2)
    u_focus = _WIDEST_FOCUS / max(1.0, _WIDEST_FOCUS * size * changes)
    return u_focus, _WIDEST_FOCUS / max(1.0, _WIDEST_FOCUS * steepest)


def step_of(problem: Problem, N: int, gradient: str, isotropic: bool = False) -> DressedStep:
    """Return the step of a problem at its ratios, for a network of N neurons; ``isotropic`` as in :class:`DressedStep`.

    >>> step = step_of(Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"), N=1500, gradient="labels")
    >>> step.case.kappa, round(step.spread, 6)  # Var σ' = 1/4, φ E y² = 1
    (2.0, 0.25)
    """
    return replace(_step_of(with_few_kinds(replace(problem, ridge=1)), N, gradient), isotropic=isotropic)


@functools.lru_cache(maxsize=32)
def _step_of(problem: Problem, N: int, gradient: str) -> DressedStep:  # without its ridge: one for a whole path
    case = float_case(problem, gradient)
    unit_functions(problem)  # says which one is missing
    shares = () if problem.biases is None else (float(kind.share) for kind in problem.biases.kinds)
    kinds = tuple(kind_step(case, share, kind) for share, kind in zip(shares, problem.unit_kinds, strict=False))
    one = kinds[0] if kinds else kind_step(case, 1.0, problem.unit_activation)
    return DressedStep(
        case=case,
        N=N,
        c2=one.c2,
        spread=one.spread,
        activation=one.activation,
        slope_function=one.slope_function,
        teacher=teacher_function(problem.teacher),
        own_output=one.own_output,
        kinds=kinds,
        step_scale=float(problem.step_scale),
        channel=step_channel(problem),
        fit=fit_of(problem),
        output_mean=output_mean(problem, gradient),
        count=problem.steps,
    )
