"""What a ranking of activations gives: a row for each of them, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from theorycalc._version import __version__
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes
from theorycalc.results.frames import columns_of, data_frame, row_dataset
from theorycalc.results.table import aligned, number_data, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TUNED = ("both", "step", "ridge", "none")
BY = ("test_loss", "test_gain", "train_loss", "train_error", "train_gain")  # gains: the largest first
_EACH = {
    "both": "each at its own best step and ridge",
    "step": "each at its own best step",
    "ridge": "each at its own best ridge",
    "none": "all at one ridge",
}


class Ranked(NamedTuple):
    """One activation: the step and ridge it was given or prefers and what follows, or the reason why nothing does."""

    activation: str
    test_loss: float | None = None
    test_gain: float | None = None
    train_loss: float | None = None
    train_error: float | None = None
    train_gain: float | None = None
    eta: float | None = None
    ridge: float | None = None
    at_edge: bool | None = None  # the range that was searched for the best ended there
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Ranking:
    """Activations in the order of their predicted losses, the best first; those without a value come last."""

    problem: Problem
    sizes: Sizes | None  # of a finite step
    ell: Any  # of a limit
    network: str
    gradient: str
    tune: str
    by: str
    entries: tuple[Ranked, ...]

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """One row for each activation, the best first: its rank, losses, gains, step and ridge, or the reason."""
        return tuple(
            {"rank": None if entry.reason else place} | entry._asdict() for place, entry in enumerate(self.entries, 1)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data for JSON."""
        chosen = ("activation", "ridge") if self.tune in ("both", "ridge") else ("activation",)
        return {
            "theorycalc": __version__,
            "inputs": {name: value for name, value in self.problem.to_dict().items() if name not in chosen},
            "sizes": None if self.sizes is None else self.sizes._asdict(),
            "ell": None if self.ell is None else number_data(self.ell),
            "network": self.network,
            "gradient": self.gradient,
            "tune": self.tune,
            "by": self.by,
            "rows": list(self.rows),
        }

    def text(self, full: bool = False) -> str:
        """Return the table a person reads; ``full``, with all digits."""
        heads = {"rank": "", "activation": "activation", "test_loss": "test loss", "test_gain": "test gain"}
        heads |= {} if self.by in heads else {self.by: _words(self.by)}
        heads |= ({} if self.sizes is None else {"eta": "η"}) | {"ridge": "λ", "at_edge": ""}
        lines = [[_cell(row[name], full) for name in heads] for row in self.rows if row["reason"] is None]
        without = [
            f"  note  {entry.activation} is not ranked: {entry.reason}" for entry in self.entries if entry.reason
        ]
        return "\n".join([self.title, aligned([list(heads.values()), *lines]), *without])

    @property
    def title(self) -> str:
        """The order, and the network or limit."""
        kind = "in the limit" if self.sizes is None else "after one step at"
        return f"Activations by {_words(self.by)} {kind} {self.subject}, {self.each}"

    @property
    def subject(self) -> str:
        """The size of the network, or the limit."""
        if self.sizes is None:
            return f"ℓ = {self.ell} ({self.network})"
        n, d, N = self.sizes
        return f"n = {n}, d = {d}, N = {N}" + ("" if self.gradient == "residual" else ", on the labels alone")

    @property
    def each(self) -> str:
        """Which step and ridge an activation has."""
        return _EACH[self.tune]

    def to_dataframe(self) -> Any:
        """Return the rows as a ``pandas.DataFrame`` (``pip install 'theorycalc[pandas]'``)."""
        return data_frame(columns_of(self.rows))

    def to_dataset(self) -> Any:
        """Return the rows as an ``xarray.Dataset`` over one dimension (``pip install 'theorycalc[xarray]'``)."""
        return row_dataset(columns_of(self.rows), "row", {})

    def plot(self, ax: Any = None, **style: Any) -> Figure:
        """Draw the test loss of every activation before and after the step, and return the matplotlib figure.

        ``ax`` is an Axes to draw into; ``style`` are properties of the points.
        """
        from theorycalc.plots.drawing import draw

        return draw(self, ax=ax, **style)

    def __repr__(self) -> str:
        return self.text()


def _words(name: str) -> str:
    return name.replace("train", "training").replace("_", " ")


def _cell(value: Any, full: bool) -> str:
    if isinstance(value, bool):
        return "at the edge of the range" if value else ""
    return str(value) if isinstance(value, (str, int)) else "" if value is None else shown(value, full)
