"""What best, best-step and best-ridge share: how a search is shown."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from theorycalc.cli.output import Answer, answer, for_a_terminal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.model.problem import Problem
    from theorycalc.results.search import Best

_CHOICES = (
    ("eta", "η", "the step, the learning rate"),
    ("alpha", "α", "its exponent, η = n^α"),
    ("ridge", "λ", "the ridge, weight decay of the second layer"),
)
_FOUND = ("test_loss", "test_gain", "train_gain")
_DIGITS = (False, ".4g")  # to which a search finds a step and a ridge


def best_answer(options: argparse.Namespace, problem: Problem, sizes: dict[str, Any], found: Best, over: str) -> Answer:
    """Answer with what a search over "eta" or "ridge" has found; the picture is of the range searched."""
    from theorycalc.model.sizes import sizes_of
    from theorycalc.results.quantities import number_data

    network = sizes_of(problem, **sizes)._asdict()
    values = {name: getattr(found, name) for name in (*(name for name, *_ in _CHOICES), *_FOUND)}
    said = {"at_edge": found.at_edge, "larger_hurts": found.larger_hurts}
    return answer(
        options,
        data=lambda: {
            "inputs": {name: value for name, value in problem.to_dict().items() if name != "ridge"} | network,
            "gradient": options.gradient,
            "values": {name: number_data(value) for name, value in values.items()},
            "searched": {over: list(found.searched)},
            **said,
        },
        rows=lambda: [network | values | said],
        text=lambda: _text(found, network, over, full=not for_a_terminal()),
        draw=lambda: _figure(options, problem, sizes, found, over),
    )


def _text(found: Best, network: dict[str, int], over: str, full: bool) -> str:
    from theorycalc.results.quantities import QUANTITIES, shown
    from theorycalc.results.table import lines_table

    sizes = ", ".join(f"{name} = {size}" for name, size in network.items())
    lines = [(symbol, shown(getattr(found, name), *_DIGITS), meaning) for name, symbol, meaning in _CHOICES]
    lines += [(QUANTITIES[name].heading, getattr(found, name), QUANTITIES[name].words) for name in _FOUND]
    notes = []
    if found.at_edge:
        low, high = (shown(end, *_DIGITS) for end in found.searched)
        nothing = (
            "no step at all is best, or as good" if found.eta == 0 else "the search ended at the edge of its range"
        )
        notes.append(f"{nothing}; {'steps' if over == 'eta' else 'ridges'} from {low} to {high} were tried")
    if found.larger_hurts is not None:
        notes.append(f"the largest step that was tried {'is worse' if found.larger_hurts else 'is as good'}")
    return lines_table(f"Least test loss at {sizes}", lines, full, notes=tuple(notes)).text()


def _figure(options: argparse.Namespace, problem: Problem, sizes: dict[str, Any], found: Best, over: str) -> Figure:
    import numpy as np

    from theorycalc.results.finite_step import step

    at: Any = {"eta": found.eta, "ridge": found.ridge} | {over: np.geomspace(*found.searched, 61)}
    return step(problem, **sizes, **at, gradient=options.gradient).plot()
