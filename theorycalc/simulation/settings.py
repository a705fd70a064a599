"""The settings that determine a simulation's numbers, checked before any work, and the memory they need.

See docs/simulation.md.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from theorycalc.errors import ArgumentError, DomainError, one_of, spelled, true_or_false
from theorycalc.model.enums import GradientTarget, InputLaw, Precision, Simulated
from theorycalc.model.parameters import SCALES
from theorycalc.model.problem import Problem
from theorycalc.model.reproduce import problem_from_dict, problem_to_dict
from theorycalc.model.requirements import check_slope, functions_of, takes_signs
from theorycalc.model.signatures import checked_call
from theorycalc.model.sizes import in_float64, realised, sizes_of, step_size
from theorycalc.model.supported import check_supported
from theorycalc.numbers.exact import Floats, NumbersLike, listed, read_rational, whole
from theorycalc.simulation.draws import BLOCK, Channel, input_scales
from theorycalc.simulation.ridge import MOST_ITERATIONS

_LARGEST_SIZE = 2**60  # no machine holds more
_MOST_REPLICATES = 10**6  # of all cells: their records, some kilobytes each, are kept in memory
_HIGHEST_POWER = 20  # of X̃β: beyond it float64 has nothing left of it


@dataclass(frozen=True)
class Step:
    """The step of one cell: η and, if it was given as such, the α with η = n^α."""

    alpha: float | None
    eta: float

    def __str__(self) -> str:
        return f"eta={self.eta:g}" if self.alpha is None else f"alpha={self.alpha:g}"


@dataclass(frozen=True)
class Settings:
    """The settings of a simulation: sizes, steps, ridges, laws and seed.

    ``problem`` is at the realised ratios φ = d/n, ψ = d/N, n₀/n and at the first ridge.
    """

    problem: Problem
    n: int
    d: int
    N: int
    step_samples: int
    test_samples: int
    steps_taken: tuple[Step, ...]  # the cells
    ridges: tuple[float, ...]
    replicates: int
    seed: int
    gradient: GradientTarget
    reuse_batch: bool
    input_law: InputLaw
    models: tuple[Simulated, ...]
    ell: int | None
    spectrum: bool
    traces: bool
    precision: Precision

    @functools.cached_property
    def cells(self) -> dict[tuple[float | None, float], int]:
        """The number of each step's cell, keyed by its α and η."""
        return {(step.alpha, step.eta): cell for cell, step in enumerate(self.steps_taken)}

    @property
    def step_channel(self) -> Channel:
        """The corruption of the step's labels."""
        return Channel(float(self.problem.corrupt_step), float(self.problem.flip_step))

    @property
    def fit_channel(self) -> Channel:
        """The corruption of the fit's labels, and of those for its test loss."""
        return Channel(float(self.problem.corrupt_fit), float(self.problem.flip_fit))

    @functools.cached_property
    def input_scales(self) -> Floats | None:
        """√τ of every input, if inputs have a covariance."""
        return None if self.problem.inputs is None else input_scales(self.problem.inputs, self.d)

    @functools.cached_property
    def has_sign_labels(self) -> bool:
        """True if the teacher is ±1, so that a fit's sign is right or wrong.

        >>> read_settings(Problem("relu", "sign(x)", 1, 1, 1), n=40, eta=1).has_sign_labels
        True
        """
        return takes_signs(self.problem.teacher)

    @property
    def memory(self) -> int:
        """An upper bound in bytes on the arrays that one replicate holds at a time.

        The gradient holds X, XWᵀ, W₀, the gradient itself, and copies for float32 products; further steps also hold
        X̃, W and its next value.  The fit holds W₀, the gradient, W, X̃, one matrix of features, with an intercept also
        those less their means, and beside them the Krylov vectors, or a singular value decomposition where they are not
        enough; for the spectrum or the traces an eigenvalue decomposition.  The test batch is drawn in blocks.  Steps
        of different size follow one another.

        >>> settings = read_settings(Problem("relu", ["1"], "1/2", "2/3", 1), n=4000, eta=1, ridge=[*range(1, 21)])
        >>> settings.d, settings.N, settings.memory // 10**6
        (2000, 3000, 916)
        """
        n, d, N, n0, ridges = self.n, self.d, self.N, self.step_samples, len(self.ridges)
        small = min(n, N)
        further = n * d + 3 * N * d if self.problem.steps > 1 else 0
        step = n0 * (d + N) + 3 * N * d + (n0 + N) * d // 2 + further
        singular = 2 * n * N + small * (n + N) // 2 + 4 * small**2
        eigen = 4 * max(small, min(N, d)) ** 2 + 3 * max(n, N) * d if self.spectrum or self.traces else 0
        heads = (2 * len(self.models) + 1) * N * ridges + 3 * n * ridges
        fit = (
            3 * N * d
            + n * (d + N)
            + (n * N if self.problem.intercept else 0)
            + heads
            + max(MOST_ITERATIONS * N, singular, eigen)
        )
        test = BLOCK * (d + 3 * N + 2 * ridges)
        return 8 * (max(step, fit) + test)

    def to_dict(self) -> dict[str, object]:
        """Return the settings as plain data for JSON, which :func:`settings_from_dict` reads back."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        data["problem"] = problem_to_dict(self.problem)
        data["steps_taken"] = [{"alpha": step.alpha, "eta": step.eta} for step in self.steps_taken]
        return data | {"ridges": list(self.ridges), "models": list(self.models)}


@checked_call
def read_settings(
    problem: Problem,
    *,
    n: int | None = None,
    d: int | None = None,
    N: int | None = None,
    alpha: NumbersLike | None = None,
    eta: NumbersLike | None = None,
    ridge: NumbersLike | None = None,
    replicates: int = 20,
    seed: int = 0,
    gradient: str = GradientTarget.RESIDUAL,
    reuse_batch: bool = False,
    input_law: str = InputLaw.GAUSSIAN,
    equivalent: str | Iterable[str] = (Simulated.NETWORK,),
    ell: int | None = None,
    spectrum: bool = False,
    traces: bool = False,
    test_samples: int | None = None,
    precision: str = Precision.DOUBLE,
) -> Settings:
    """Return the settings of a simulation; refuse wrong ones before any work is done.

    >>> problem = Problem("relu", ["1", "1/2"], phi="1/2", psi="2/3", ridge="1/10")
    >>> settings = read_settings(problem, n=101, alpha=0.3)
    >>> settings.d, settings.N, settings.problem.phi, round(settings.steps_taken[0].eta, 4)
    (51, 77, Fraction(51, 101), 3.993)
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"a simulation takes a Problem, not {type(problem).__name__}", argument="problem")
    check_supported(problem, "simulations")
    functions_of(problem)  # says which one is missing
    for kind in problem.unit_kinds:
        check_slope(kind, kind.derivative)
    for name in ("noise", *SCALES):
        in_float64(getattr(problem, name), name)
    sizes = sizes_of(problem, n, d, N)
    n, d, N = sizes
    whole(n, "n", "a positive whole number up to 2^60", high=_LARGEST_SIZE)
    samples = Fraction(problem.step_ratio) * n
    wanted = (("d", d, f"φn at n={n}"), ("N", N, f"d/ψ at d={d}"), ("step_samples", samples, f"n₀ at n={n}"))
    for name, size, formula in wanted:
        if size > _LARGEST_SIZE:
            raise DomainError(f"{name} = {formula} is more than any machine holds", argument=name)
    given = _ridges(problem.ridge if ridge is None else ridge)
    asked = [one_of(model, "equivalent", Simulated) for model in listed(equivalent, "equivalent")]
    case = replace(realised(problem, sizes), ridge=given[0])
    settings = Settings(
        problem=case,
        n=n,
        d=d,
        N=N,
        step_samples=n if case.step_samples is None else int(case.step_samples),
        test_samples=n if test_samples is None else whole(test_samples, "test_samples"),
        steps_taken=_steps(alpha, eta, n),
        ridges=tuple(map(float, given)),
        replicates=whole(replicates, "replicates", "2 or more: an error bar needs them", low=2),
        seed=whole(seed, "seed", "a whole number from 0", low=0),
        gradient=one_of(gradient, "gradient", GradientTarget),
        reuse_batch=true_or_false(reuse_batch, "reuse_batch"),
        input_law=one_of(input_law, "input_law", InputLaw),
        models=tuple(model for model in Simulated if model in asked),
        ell=None if ell is None else whole(ell, "ell", f"one of 1, …, {_HIGHEST_POWER}", 1, _HIGHEST_POWER),
        spectrum=true_or_false(spectrum, "spectrum"),
        traces=true_or_false(traces, "traces"),
        precision=one_of(precision, "precision", Precision),
    )
    _check_together(settings)
    return settings


def settings_from_dict(data: object) -> Settings:
    """Return settings from the data of :meth:`Settings.to_dict`, checked as for a new simulation.

    >>> problem = Problem("relu", ["1", "1/2"], phi="1/2", psi="2/3", ridge="1/10")
    >>> settings = read_settings(problem, n=100, eta=[1, 2], ridge=["1/10", 1])
    >>> settings_from_dict(settings.to_dict()) == settings
    True
    """
    if not isinstance(data, Mapping):
        raise DomainError(f"stored settings are a table of names and values, not {type(data).__name__}")
    names = {field.name for field in fields(Settings)}
    if set(data) != names:
        missing, unknown = sorted(names - set(data)), sorted(set(map(str, data)) - names)
        raise DomainError(f"stored settings do not fit this version: missing {missing}, unknown {unknown}")
    cells = data["steps_taken"]
    if not isinstance(cells, list) or not all(isinstance(c, Mapping) and {"alpha", "eta"} == set(c) for c in cells):
        raise DomainError("stored settings: steps_taken is not a list of steps with alpha and eta")
    if not isinstance(data["ridges"], list) or not data["ridges"]:
        raise DomainError("stored settings: ridges is not a list of numbers")
    problem = problem_from_dict(data["problem"])
    alphas = [cell["alpha"] for cell in cells]
    by_alpha = None not in alphas
    settings = read_settings(
        problem,
        alpha=alphas if by_alpha else None,
        eta=None if by_alpha else [cell["eta"] for cell in cells],
        ridge=[problem.ridge, *data["ridges"][1:]],
        equivalent=data["models"],
        **{name: data[name] for name in names - {"problem", "step_samples", "steps_taken", "ridges", "models"}},
    )
    if settings.to_dict() != dict(data):
        raise DomainError("stored settings contradict themselves: n, steps_taken, ridges and the problem do not fit")
    return settings


def _steps(alpha: NumbersLike | None, eta: NumbersLike | None, n: int) -> tuple[Step, ...]:
    if (alpha is None) == (eta is None):
        step_size(n, alpha, eta)  # says which of the two to give
    name = "eta" if alpha is None else "alpha"
    given = listed(eta if alpha is None else alpha, name)
    steps = [Step(*(step_size(n, x, None) if eta is None else step_size(n, None, x))) for x in given]
    if len(set(steps)) < len(steps):
        raise DomainError(f"{name} has a value twice; every value is one cell", argument=name)
    return tuple(steps)


def _ridges(ridge: NumbersLike) -> tuple[Fraction | float, ...]:
    values = [read_rational(value, "ridge") for value in listed(ridge, "ridge")]
    for value in values:
        if value < 0:
            raise DomainError(f"{spelled('ridge', value)} must not be negative", argument="ridge")
    if len({in_float64(value, "ridge") for value in values}) < len(values):
        raise DomainError("ridge has a value twice; every value is one point of the path", argument="ridge")
    return tuple(values)


def _check_together(settings: Settings) -> None:
    """Refuse combinations of arguments that are each allowed alone."""

    def refuse(argument: str, reason: str) -> None:
        raise ArgumentError(reason, argument=argument)

    cells, steps = len(settings.steps_taken), settings.problem.steps
    total = cells * settings.replicates
    if total > _MOST_REPLICATES:
        draws = f"{spelled('replicates', settings.replicates)} for each of {cells} steps are {total}"
        raise DomainError(f"{draws}; at most {_MOST_REPLICATES} are computed in one run", argument="replicates")
    surrogates = [model for model in settings.models if model != Simulated.NETWORK]
    asked, equivalent = spelled("equivalent", next(iter(surrogates), None)), spelled("equivalent")
    spiked, gaussian = spelled("equivalent", "spiked"), spelled("equivalent", "gaussian")
    if surrogates and settings.ell is None:
        refuse("equivalent", f"{asked} needs {spelled('ell')}, the number of spikes it has")
    if Simulated.GAUSSIAN in surrogates and settings.problem.inputs is not None:
        means = f"the means c_2(wᵀΣw − 1) that neurons get from {spelled('inputs')}"
        refuse("equivalent", f"{gaussian} lacks {means}; take {spiked}")
    if surrogates and steps > 1:
        refuse("equivalent", f"{asked} describes one step, not {spelled('steps', steps)}")
    if settings.reuse_batch and steps == 1:
        several = f"several steps: give the problem {spelled('steps')}"
        refuse("reuse_batch", f"{spelled('reuse_batch', True)} is for {several}")
    if settings.ell is not None and not surrogates and not settings.spectrum:
        users = f"{spiked}, {gaussian} or {spelled('spectrum', True)}"
        refuse("ell", f"{spelled('ell')} is for {users}; leave it out")
    if settings.spectrum and Simulated.NETWORK not in settings.models:
        refuse("spectrum", f"{spelled('spectrum', True)} is of the network: name 'network' in {equivalent}")
    if settings.traces and min(settings.ridges) == 0:
        raise DomainError("traces=True needs ridge > 0: tr R₀ is infinite or not settled at 0", argument="traces")
    if settings.traces and settings.models == (Simulated.GAUSSIAN,):
        refuse("traces", f"traces=True is of F₀ of the network: name 'network' or 'spiked' in {equivalent}")


def machine_memory() -> int | None:
    """Return the memory of this machine in bytes, or None if the system does not report it.

    >>> found = machine_memory()
    >>> found is None or found > 2**20
    True
    """
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    return pages * size if pages > 0 and size > 0 else None
