"""``theorycalc best``, ``best-step``, ``best-ridge``, ``samples-needed``, ``draws-needed`` and ``rank``: planning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import theorycalc as tc
from theorycalc.cli.declare import command, group, output_group, parameter, problem_group
from theorycalc.cli.options import SIZES, Arguments, whole_or_text
from theorycalc.cli.output import Shown, for_a_terminal, shown
from theorycalc.errors import ArgumentError, RankingInterrupted
from theorycalc.model.parameters import PARAMETERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.search import Best

_CHOICES = ("eta", "alpha", "ridge")
_FOUND = ("test_loss", "test_gain", "train_gain")
_TRIED = {"eta": "steps", "ridge": "ridges"}
_DIGITS = (False, ".4g")  # to which a search finds a step and a ridge
_HOW = group("how it is computed", "gradient")


@command(
    "best",
    "Find the step and the ridge that together minimise the predicted test loss of a network.",
    """\
  theorycalc best --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1
  theorycalc best --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --n 300 --json
""",
    problem_group({"ridge": "1"}, network=True, ridge="not needed: it is chosen"),
    _HOW,
    output_group("one row", "losses over the steps searched, at the best ridge"),
)
def _best(options: Arguments) -> Shown:
    return _searched(options, tc.best)


@command(
    "best-step",
    "Find the step, the learning rate, that minimises the predicted test loss of a network.",
    """\
  theorycalc best-step --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1
  theorycalc best-step --activation erf --teacher "H1 + H3/3" --phi 1/2 --psi 2/3 --ridge 0.1 --n 300 --plot steps.svg
""",
    problem_group(network=True),
    _HOW,
    output_group("one row", "losses over the steps searched"),
    waiting="looking for the best step",
)
def _best_step(options: Arguments) -> Shown:
    return _searched(options, tc.best_step)


@command(
    "best-ridge",
    "Find the ridge that minimises the predicted test loss of a network after one step.",
    """\
  theorycalc best-ridge --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 --eta 20
  theorycalc best-ridge --activation relu --teacher H1 --phi 1/2 --psi 2/3 --n 300 --alpha 0.3 --plot ridges.svg
""",
    problem_group({"ridge": "1"}, network=True, ridge="not needed: it is chosen"),
    group("the step, one of", parameter("eta", after="; 0 is before any step"), "alpha"),
    _HOW,
    output_group("one row", "losses over the ridges searched"),
    waiting="looking for the best ridge",
)
def _best_ridge(options: Arguments) -> Shown:
    return _searched(options, tc.best_ridge, "alpha", "eta")


def _searched(options: Arguments, search: Callable[..., Best], *step: str) -> Shown:
    """Return the result of a search, with the losses over the range searched as its picture."""
    from theorycalc.results.quantities import number_data

    problem, sizes = options.problem(), options.network_sizes()
    found = search(problem, **sizes, **options.given("gradient", *step))
    network = found.step.sizes._asdict()
    values = {name: getattr(found, name) for name in (*_CHOICES, *_FOUND)}
    said = {"at_edge": found.at_edge, "larger_hurts": found.larger_hurts}
    ends = {"searched": {found.over: list(found.searched)}, "at_ends": list(found.at_ends)}

    def draw() -> Figure:
        import numpy as np

        at: Any = {"eta": found.eta, "ridge": found.ridge} | {found.over: np.geomspace(*found.searched, 61)}
        return tc.step(problem, **sizes, **at, gradient=options.gradient).plot()

    return Shown(
        lambda: {
            "inputs": {name: value for name, value in problem.to_dict().items() if name != "ridge"} | network,
            "gradient": options.gradient,
            "values": {name: number_data(value) for name, value in values.items()},
            **ends,
            **said,
        },
        lambda: [network | values | said],
        lambda full: _best_text(found, full),
        draw,
    )


def _best_text(found: Best, full: bool) -> str:
    from theorycalc.results.quantities import QUANTITIES, shown
    from theorycalc.results.table import lines_table

    sizes = ", ".join(f"{name} = {size}" for name, size in found.step.sizes._asdict().items())
    chosen = map(PARAMETERS.__getitem__, _CHOICES)
    lines = [(one.symbol, shown(getattr(found, one.name), *_DIGITS), one.words) for one in chosen]
    lines += [(QUANTITIES[name].heading, getattr(found, name), QUANTITIES[name].words) for name in _FOUND]
    notes = []
    for name in found.at_ends:
        low, high = (shown(end, *_DIGITS) for end in found.range_of(name))
        none = name == "eta" and found.eta == 0
        edge = "no step at all is best, or as good" if none else "the search ended at the edge of its range"
        notes.append(f"{edge}; {_TRIED[name]} from {low} to {high} were tried")
    if found.larger_hurts is not None:
        notes.append(f"the largest step that was tried {'is worse' if found.larger_hurts else 'is as good'}")
    return lines_table(f"Lowest test loss at {sizes}", lines, full, notes=tuple(notes)).text()


@command(
    "samples-needed",
    "Find the least n at which a step n^α shows a fraction of the training gain that networks tend to, at the "
    "ratios of the problem.",
    """\
  theorycalc samples-needed --activation "tanh(x + 1)" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 \\
      --noise 0.5 --ell 1 --alpha 0.2
  theorycalc samples-needed --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --ell 2 \\
      --alpha 0.3 --fraction 0.8 --json
""",
    problem_group(),
    group(
        "the limit, and the step towards it",
        parameter("ell", required=True, help="number of the window, ℓ = 1, 2, …"),
        parameter("alpha", required=True, after=", in the window ℓ"),
        "fraction",
    ),
    _HOW,
    output_group("one row"),
)
def _samples_needed(options: Arguments) -> Shown:
    from theorycalc.results.table import lines_table

    problem, ell = options.problem(), whole_or_text(options.ell)
    asked = {"ell": ell, **options.given("alpha", "fraction", "gradient")}
    n = tc.samples_needed(problem, **asked)
    found = tc.step(problem, n=n, alpha=options.alpha, gradient=options.gradient)
    limit = tc.predict(problem, ell=ell, network="literal", gradient=options.gradient)
    row = found.sizes._asdict() | {"train_gain": float(found.train_gain), "train_gain_limit": float(limit.train_gain)}
    meanings = {name: PARAMETERS[name].words for name in SIZES} | {
        "train_gain": "training loss gained at this size",
        "train_gain_limit": f"by n → ∞, ℓ = {ell}",
    }
    lines = [(name, str(row[name]) if name in SIZES else row[name], words) for name, words in meanings.items()]
    title = f"{n} samples show {options.fraction} of the limit after a step n^{options.alpha}"
    return Shown(
        lambda: {"inputs": problem.to_dict()} | asked | row,
        lambda: [asked | row],
        lambda full: lines_table(title, lines, full).text(),
    )


@command(
    "draws-needed",
    "Find the number of independent networks that show a difference, or measure a gain or a loss to an accuracy.",
    """\
  theorycalc draws-needed --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20
  theorycalc draws-needed --activation relu --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --ridge 0.1 --n 300 --alpha 0.3 \\
      --quantity test_loss --difference 0.05 --json

The number is right to a factor of about two and a half in nine of ten networks (steps up to n^0.45).
""",
    problem_group(network=True),
    group("the step, one of", "eta", "alpha"),
    group("the measurement", "quantity", parameter("accuracy", later=True), "difference", "level"),
    _HOW,
    output_group("one row"),
)
def _draws_needed(options: Arguments) -> Shown:
    from theorycalc.results.quantities import QUANTITIES
    from theorycalc.results.table import lines_table

    problem, sizes = options.problem(), options.network_sizes()
    taken = options.given("alpha", "eta", "gradient")
    asked = options.given("quantity", "accuracy", "difference", "level")
    if asked["accuracy"] is None and asked["difference"] is None:
        asked["accuracy"] = PARAMETERS["accuracy"].default
    draws = tc.draws_needed(problem, **sizes, **taken, **asked)
    found = tc.step(problem, **sizes, **taken)
    name = asked["quantity"]
    value, deviation = float(getattr(found, name)), float(getattr(found.spread, name))
    row = {"draws": draws, "value": value, "standard_deviation": deviation}
    row |= {"draws_to_measure": draws.to_measure, "draws_to_show": draws.to_show}
    meanings = {
        "value": f"{QUANTITIES[name].heading}, predicted",
        "standard_deviation": "of one draw, to about a third",
    }
    return Shown(
        lambda: {"inputs": problem.to_dict() | found.sizes._asdict()} | taken | asked | row,
        lambda: [found.sizes._asdict() | taken | asked | row],
        lambda full: lines_table(draws.text, [(key, row[key], text) for key, text in meanings.items()], full).text(),
    )


@command(
    "rank",
    "Rank activations by the test loss that is predicted after one step, each at its own best ridge.",
    """\
  theorycalc rank --activation "relu, tanh, gelu, tanh(x + 1)" --teacher "sin(x)" --n 900 --d 300 --N 600 --noise 0.1 \\
      --eta 20
  theorycalc rank --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --ell 2 --plot ranking.svg
  theorycalc rank --activation "relu, softplus" --teacher "H1 + H2/2" --phi 1/2 --psi 2/3 --noise 0.5 --n 300

Without --activation all that have a name are ranked. An activation twice as large wants a ridge four times as large and
a step half as large: so each has its own best ridge and, without --eta, --alpha and --ell, its own best step.
""",
    problem_group({"ridge": "1"}, network=True, ridge="λ for all, of --tune step and none"),
    group(
        "the step; without one, each activation has its own best",
        "eta",
        "alpha",
        parameter("ell", before="of limits: "),
    ),
    group(
        "how it is computed",
        parameter("tune", after="; by default the ridge, and the step if none is given"),
        "by",
        parameter("gradient", later=True),
        parameter("network", default="literal", later=True, before="of --ell: "),
    ),
    output_group("one row for each activation", "test losses before and after the step"),
)
def _rank(options: Arguments) -> Shown:
    from theorycalc.cli.sweep import formulas

    if options.ridge is None and options.tune in ("step", "none"):
        raise ArgumentError(f"--tune {options.tune} is at one ridge for all: give --ridge")
    listed = None if options.activation is None else formulas(options.activation)
    problem = options.changed({"activation": "relu"}).problem()  # those listed take its place
    if options.ell is not None and not problem.has_sizes and options.n is not None:
        raise ArgumentError("--ell ranks limits, which have no --n; leave one of them out")
    where = options.network_sizes() if options.ell is None else {"ell": whole_or_text(options.ell)}
    how = options.given("alpha", "eta", "tune", "by", "gradient", "network")
    try:
        return shown(tc.rank_activations(problem, listed, **where, **how))
    except RankingInterrupted as stop:
        if isinstance(stop.ranking, tc.Ranking):  # those that were done are nowhere else
            sys.stdout.write(f"{stop.ranking.table(not for_a_terminal()).text()}\n")
        raise
