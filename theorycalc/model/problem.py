"""The description of one case: the network, its data, and the fit.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from theorycalc.errors import ArgumentError, about, one_of, spelled, true_or_false
from theorycalc.model import reading
from theorycalc.model.activation import Activation
from theorycalc.model.biases import Biases, BiasesLike, read_biases, unit_kinds
from theorycalc.model.enums import FirstLayer, SecondLayer
from theorycalc.model.inputs import Inputs, InputsLike, read_inputs
from theorycalc.model.parameters import CHANNELS, FLAGS, OPTIONS, PARAMETERS, SCALES
from theorycalc.model.points import read_constant, read_number, read_ratio
from theorycalc.model.reading import ActivationLike, TeacherLike, read_teacher
from theorycalc.model.signatures import checked_call, documented, documented_methods
from theorycalc.model.supported import check_together, fidelity, mean_sign, unit_step
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import Exact, NumberLike, Scalar, spell, whole
from theorycalc.running.budget import one_budget


@documented
@documented_methods
@dataclass(frozen=True, init=False)
class Problem:
    """A two-layer network and its data: activation, teacher, ratios or sizes, ridge and noise.

    The labels are y = σ⋆(β⋆·x) + σ_ε·ε with Gaussian inputs x.  One gradient step trains the first layer on one batch;
    a ridge fit of the second layer uses another, independent batch of n points.  The ridge is required, and so are φ
    and ψ or the three sizes.  Numbers may be text such as "1/10", which is exact.

    Parameters
    ----------
    activation : str, callable, dict or Activation
        σ: a name or a formula such as "relu" or "tanh(x + 1)", a function (of numpy, torch or JAX), or Hermite
        coefficients such as {1: 1, 2: "1/2"}; it needs c_1 ≠ 0.
    teacher : str, list, dict, callable or Teacher
        σ⋆: a formula such as "H1 + H2/2" or "sin(x)", a function, or Hermite coefficients c_⋆1, c_⋆2, …; a formula of
        several directions is written with t1, …, t4: "t1 + t1*t2".
    n, d, N : int, optional
        Sizes in place of ratios: n samples, d inputs, N neurons; all three or none.
    biases : str, dict or list of pairs, optional
        Biases b of the neurons, {bias: share} or a law such as "normal(1)": neurons of σ(w·x + b).  The step leaves
        them as they are, and the fit needs an intercept.
    inputs : str, list of levels or Inputs, optional
        Covariance Σ of the inputs, x ~ N(0, Σ): levels [(eigenvalue, weight, share of the teacher), …] or text such as
        "two_level(9, 1/4)" or "power(1/3, 1/2)"; :class:`Inputs` makes them from data.  By default Σ is the identity.

    Raises
    ------
    TheoryError
        An argument is missing, of the wrong kind, or out of its range; ``argument`` is its name.

    >>> Problem("relu", teacher="H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10").phi
    Fraction(1, 2)
    >>> Problem("relu", teacher="H1 + H2/sqrt(2)", n=900, d=300, N=600, ridge="1/10").phi
    Fraction(1, 3)
    """

    activation: Activation
    teacher: Teacher
    phi: Fraction | float
    psi: Fraction | float
    ridge: Fraction | float
    noise: Exact
    first_layer: FirstLayer
    second_layer: SecondLayer
    step_samples: Fraction | float | None  # whole where sizes are given
    n: int | None
    d: int | None
    N: int | None
    intercept: bool
    centred: bool
    centred_labels: bool
    first_scale: Scalar
    second_scale: Scalar
    biases: Biases | None
    inputs: Inputs | None
    steps: int
    corrupt_step: Scalar
    corrupt_fit: Scalar
    flip_step: Scalar
    flip_fit: Scalar

    @checked_call
    @one_budget()
    def __init__(
        self,
        activation: ActivationLike,
        teacher: TeacherLike,
        phi: NumberLike | None = None,
        psi: NumberLike | None = None,
        ridge: NumberLike | None = None,
        noise: NumberLike = 0,
        first_layer: str = FirstLayer.SPHERE,
        second_layer: str = SecondLayer.GAUSSIAN,
        step_samples: NumberLike | None = None,
        n: NumberLike | None = None,
        d: NumberLike | None = None,
        N: NumberLike | None = None,
        intercept: bool = False,
        centred: bool = True,
        centred_labels: bool = True,
        first_scale: NumberLike = 1,
        second_scale: NumberLike = 1,
        biases: BiasesLike | None = None,
        inputs: InputsLike | None = None,
        steps: NumberLike = 1,
        corrupt_step: NumberLike = 0,
        corrupt_fit: NumberLike = 0,
        flip_step: NumberLike = 0,
        flip_fit: NumberLike = 0,
    ) -> None:
        given = locals()
        length, shifts = read_constant(first_scale, "first_scale"), read_biases(biases)
        with about("activation"):
            known = reading.read_activation(activation)
            unit_kinds(known, length, shifts)  # refuses numbers alone where neurons have biases
        if ridge is None:
            reason = f"Problem() needs {spelled('ridge')}, the λ of the ridge fit (weight decay of the second layer)"
            raise ArgumentError(reason, argument="ridge")
        with about("teacher"):
            taught = read_teacher(teacher)
        sizes = reading.read_sizes(n, d, N)
        values = {
            "activation": known,
            "teacher": taught,
            **reading.read_ratios(phi, psi, sizes),
            "ridge": read_ratio(ridge, "ridge"),
            "noise": read_number(noise, "noise"),
            "first_layer": one_of(first_layer, "first_layer", FirstLayer),
            "second_layer": one_of(second_layer, "second_layer", SecondLayer),
            "step_samples": reading.read_step_samples(step_samples, sizes),
            **{name: sizes.get(name) for name in ("n", "d", "N")},
            **{name: true_or_false(given[name], name) for name in FLAGS},
            "first_scale": length,
            "second_scale": read_constant(second_scale, "second_scale"),
            "biases": shifts,
            "inputs": read_inputs(inputs, sizes.get("d")),
            "steps": whole(steps, "steps"),
            **{name: read_constant(given[name], name) for name in CHANNELS},
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        check_together(self)

    @classmethod
    @checked_call
    def from_torch(
        cls, model: object, teacher: TeacherLike, *, n: NumberLike, ridge: NumberLike, **options: Any
    ) -> Problem:
        """Return the problem of a network built in torch, nn.Sequential(Linear(d, N), activation, Linear(N, 1)).

        ``tc.conventions.network_of(model).notes`` says how the layers were read.

        Parameters
        ----------
        model : torch.nn.Sequential
            The network before it is trained.
        teacher : str, list, dict, callable or Teacher
            σ⋆, as in :class:`Problem`.
        n : int
            Number of samples of the fit.
        ridge : number
            λ; ``tc.ridge_from("sum", alpha, n=n)`` is that of scikit-learn's Ridge(alpha).
        options : optional
            Other arguments of :class:`Problem`, such as ``noise`` or ``step_samples``.

        Returns
        -------
        Problem
            With sizes, scales and laws of the layers.  Unless ``options`` say otherwise, the activation stays as it
            is, the fit has an intercept, and a mean of the labels counts.

        Raises
        ------
        TheoryError
            It is another network, its weights are not drawn at random, or an argument is out of its range.

        >>> Problem.from_torch(abs, "H1", n=100, ridge="1/10")
        Traceback (most recent call last):
        ...
        theorycalc.errors.DomainError: model: it is a builtin_function_or_method; the theory is of a network with one \
hidden layer, nn.Sequential(Linear, activation, Linear)
        """
        from theorycalc.model.torch_networks import network_of

        found = network_of(model)
        with about("teacher"):
            taught = read_teacher(teacher)
        usual: dict[str, Any] = {
            "intercept": True,
            "centred": not found.activation.has_mean,
            "centred_labels": not taught.has_mean,
        }
        usual |= {"n": n, "d": found.d, "N": found.N, "ridge": ridge}
        return cls(found.activation, taught, **(usual | found.layers._asdict() | options))

    def __hash__(self) -> int:
        return hash((self.activation, self.phi, self.psi, self.ridge))  # enough to tell most problems apart, and quick

    @property
    def has_sizes(self) -> bool:
        """True if n, d and N are given, not only their ratios.

        >>> Problem("relu", "H1", n=900, d=300, N=600, ridge="1/10").has_sizes
        True
        """
        return self.n is not None

    @property
    def step_ratio(self) -> Fraction | float:
        """n₀/n, the batch size of the gradient step divided by that of the fit.

        >>> Problem("relu", "H1", n=900, d=300, N=600, ridge="1/10", step_samples=300).step_ratio
        Fraction(1, 3)
        """
        if self.step_samples is None:
            return Fraction(1)
        return self.step_samples if self.n is None else Fraction(self.step_samples) / self.n

    @property
    def unit_activation(self) -> Activation:
        """σ(g_w x), the activation seen by rows of length 1, on which the theory depends.

        >>> float(Problem("relu", "H1", 1, 1, 1, first_scale=2).unit_activation.c1)
        1.0
        """
        return self.activation.stretched(self.first_scale)

    @property
    def unit_kinds(self) -> tuple[Activation, ...]:
        """σ(g_w x + b) for each kind of neuron, or σ(g_w x) alone without biases."""
        return unit_kinds(self.activation, self.first_scale, self.biases)

    @property
    def step_scale(self) -> Scalar:
        """T g_a/g_w²: T steps η of this network equal one step of size ηT g_a/g_w² with both scales 1.

        >>> Problem("relu", "H1", 1, 1, 1, first_scale=2, second_scale=3).step_scale
        Fraction(3, 4)
        """
        return unit_step(self.steps, self.first_scale, self.second_scale)

    @property
    def has_free_constant(self) -> bool:
        """True if a constant costs no penalty in the limit: with an intercept, or an activation with a mean."""
        return self.intercept or (not self.centred and self.unit_activation.has_mean)

    @property
    def label_mean(self) -> Exact:
        """The mean μ of labels before any flips: the teacher's, or 0 if the mean of labels is subtracted."""
        return Fraction(0) if self.centred_labels else self.teacher.mean

    @property
    def step_sign(self) -> Scalar:
        """b_s = 1 − 2q_s: labels of the step have mean b_s μ.

        >>> Problem("relu", "H1", 1, 1, 1, flip_step="1/4").step_sign
        Fraction(1, 2)
        """
        return mean_sign(self.flip_step)

    @property
    def fit_sign(self) -> Scalar:
        """b_f = 1 − 2q_f: labels of the fit have mean b_f μ."""
        return mean_sign(self.flip_fit)

    @property
    def step_fidelity(self) -> Scalar:
        """a_s = (1 − p_s)(1 − 2q_s): labels of the step are a_s σ⋆ on average.

        >>> Problem("relu", "H1", 1, 1, 1, corrupt_step="1/2", flip_step="1/4").step_fidelity
        Fraction(1, 4)
        """
        return fidelity(self.corrupt_step, self.flip_step)

    @property
    def fit_fidelity(self) -> Scalar:
        """a_f = (1 − p_f)(1 − 2q_f): labels of the fit are a_f σ⋆ on average."""
        return fidelity(self.corrupt_fit, self.flip_fit)

    @property
    def options(self) -> dict[str, object]:
        """The options that differ from their defaults."""
        given = {name: getattr(self, name) for name in OPTIONS}
        return {name: value for name, value in given.items() if value != PARAMETERS[name].default}

    def to_dict(self) -> dict[str, object]:
        """Return the inputs as plain data for JSON, with exact numbers as text."""
        shown: dict[str, object] = {f.name: getattr(self, f.name) for f in fields(self)}
        shown["activation"] = self.activation.to_dict()
        shown["teacher"] = self.teacher.to_dict()
        for name in ("phi", "psi", "ridge", "noise", *SCALES, *CHANNELS):
            shown[name] = spell(getattr(self, name))
        for name in ("biases", "inputs"):
            value = getattr(self, name)
            shown[name] = None if value is None else str(value)
        if isinstance(self.step_samples, Fraction):
            shown["step_samples"] = spell(self.step_samples)
        return shown


def check_problem(problem: object, verb: str) -> None:
    """Refuse anything but a problem as the first argument of a public function.

    >>> check_problem(3, "predict")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: predict() takes a Problem, not int
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"{verb}() takes a Problem, not {type(problem).__name__}", argument="problem")
