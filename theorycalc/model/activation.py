"""The activation σ: the numbers that limits need, and the interface that all kinds of activation share.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, about
from theorycalc.functions.tree import Tree
from theorycalc.model.callables import UserFunction
from theorycalc.model.figures import draw
from theorycalc.model.requirements import Condition, activation_conditions
from theorycalc.model.signatures import checked_call, documented_methods
from theorycalc.model.spikes import ALL, Spikes, read_ell
from theorycalc.numbers.exact import EnclosedNumber, Exact, Scalar, is_zero, read, spell

if TYPE_CHECKING:
    import sympy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from theorycalc.model.sampled import Estimate
    from theorycalc.numbers.exact import ArrayLike, Coefficients, Floats, NumberLike


@documented_methods
@dataclass(frozen=True, repr=False)
class Activation(ABC):
    """An activation: a function of x, or the numbers on which every limit depends.

    Make one with :func:`activation` from text, :meth:`from_callable`, :meth:`from_moments` or
    :meth:`from_coefficients`.  The theory centres it: ``mean`` is subtracted.

    Raises
    ------
    TheoryError
        The text, the function or the numbers that one is made of are not those of an activation.

    >>> relu = Activation.from_text("relu")
    >>> float(relu.c1), relu.spikes(ell=4), relu.guarantee
    (0.5, (1, 2, 4), 'enclosed')
    """

    c1: Exact
    c_rest: Exact
    present: tuple[int, ...] | None  # the k with c_k ≠ 0; None: not known, or found when asked
    c2: Exact | None  # None: not known
    name: str
    mean: Exact = Fraction(0)
    slope_variance: Exact | None = None  # Var σ'(Z); None: not known
    is_centered: bool = False

    #: Whether its coefficients can be enclosed, and digits of them proven.
    is_provable: ClassVar[bool] = False
    #: Whether it is known by its values only, so that its coefficients are estimates.
    is_sampled: ClassVar[bool] = False
    #: Whether σ(x) can be computed.
    has_values: ClassVar[bool] = True

    def __new__(cls, *given: object, **named: object) -> Self:
        """Refuse to create the base class, which is not an activation, and name the functions that make one."""
        if cls is Activation:
            raise ArgumentError(
                "Activation is abstract: use Activation.from_text, from_callable, from_moments or from_coefficients",
                argument="activation",
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name in ("c1", "c_rest", "mean", "c2", "slope_variance"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read(getattr(self, name), name))

    @classmethod
    @checked_call
    @about("text")
    def from_text(cls, text: str) -> Activation:
        """Return the activation given by a name or an expression in x; its coefficients can be enclosed.

        Parameters
        ----------
        text : str
            A name of the library with its parameters, or a formula: "relu", "leaky_relu(0.1)", "tanh(x + 1)".

        >>> act = Activation.from_text("leaky_relu(0.1)")
        >>> float(act.c1), act.spikes(6), act.kinks
        (0.55, (1, 2, 4, 6), (Fraction(0, 1),))
        """
        from theorycalc.model.formula import read_formula

        return read_formula(text)

    @classmethod
    @checked_call
    def from_callable(
        cls,
        function: UserFunction,
        kinks: Sequence[float] = (),
        derivative: UserFunction | None = None,
        present: Iterable[int] | None = None,
        name: str | None = None,
    ) -> Activation:
        """Return the activation that a Python function computes; its coefficients are estimates.

        c_0, c_1 and c_2 are set to 0 if they are within their errors of 0.

        Parameters
        ----------
        function : callable
            A function of numpy, torch or JAX arrays, or of one number.
        kinks : list of numbers, default ()
            The points between which the function is smooth.
        derivative : callable, optional
            Its derivative; by default a central difference.
        present : list of int, optional
            The k with c_k ≠ 0, since no estimate shows that a c_k is zero.
        name : str, optional
            Its name in tables and figures; by default that of the function.

        >>> import numpy as np
        >>> act = Activation.from_callable(np.tanh, present=(1, 3, 5))
        >>> round(act.c1, 12), act.guarantee
        (0.605705509602, 'estimated')
        """
        from theorycalc.model.sampled import sample_activation

        return sample_activation(function, kinks, derivative, present, name)

    @classmethod
    @checked_call
    def from_moments(cls, c1: NumberLike, c_rest: NumberLike, present: Iterable[int] | None = None) -> Activation:
        """Return an activation known only by c_1, c_{>1} and the k with c_k ≠ 0: enough for limits, not for a network.

        Parameters
        ----------
        present : list of int, optional
            The k with c_k ≠ 0: all other c_k are zero.  Without it a prediction assumes c_1, …, c_ℓ ≠ 0 and says so.

        >>> Activation.from_moments(c1="1/2", c_rest="3/10", present=(1, 2, 4)).present
        (1, 2, 4)
        """
        from theorycalc.model.moments import read_moments

        return read_moments(c1, c_rest, present)

    @classmethod
    @checked_call
    def from_coefficients(cls, coefficients: Iterable[NumberLike] | Mapping[int, NumberLike]) -> Activation:
        """Return the polynomial c_1 H_1 + c_2 H_2 + … for limits; one from :func:`activation` has values, too.

        Parameters
        ----------
        coefficients : list or dict of numbers
            c_1, c_2, …, or {k: c_k}, where coefficients that are left out are zero.

        >>> act = Activation.from_coefficients(["1", "1/2", "3/10"])
        >>> act.present, act.c_rest
        ((1, 2, 3), sqrt(26)/5)
        """
        from theorycalc.model.moments import read_coefficients

        return read_coefficients(coefficients)

    def __repr__(self) -> str:
        return f"Activation({self.name!r})"

    def __call__(self, x: ArrayLike) -> Floats:
        """Return σ(x) for an array x, less its mean if the activation is centred."""
        values = self._values(x)
        return values - float(self.mean) if self.is_centered else values

    @abstractmethod
    def _values(self, x: ArrayLike) -> Floats: ...

    @abstractmethod
    def derivative(self, x: ArrayLike) -> Floats:
        """Return σ'(x) for an array x, except at kinks; by central differences if a function comes without a slope."""

    def centered(self) -> Activation:
        """Return σ − E σ(Z), the activation used by the theory."""
        return replace(self, is_centered=True)

    def stretched(self, scale: Scalar, bias: Scalar = 0.0) -> Activation:
        """Return σ(scale·x + bias), the activation of neurons with a bias and weights ``scale`` times as long."""
        return self if scale == 1 and bias == 0 else self._stretched(scale, bias)

    @abstractmethod
    def _stretched(self, scale: Scalar, bias: Scalar) -> Activation: ...

    @property
    def kinks(self) -> tuple[Fraction | Tree, ...]:
        """The exact points where the function is not smooth."""
        return ()

    @property
    def kink_floats(self) -> tuple[float, ...]:
        """The kinks in float64."""
        return ()

    @property
    def parity(self) -> str | None:
        """The parity "odd" or "even", or None if neither is shown; if centred, that of σ without the mean."""
        return None

    @property
    def guarantee(self) -> str:
        """The guarantee of c_1 and c_{>1}: "exact", "enclosed" or "estimated"."""
        unproven = isinstance(self.c1, EnclosedNumber) and not self.c1.is_proven
        return "estimated" if unproven or self.is_sampled else "enclosed" if self.is_provable else "exact"

    @property
    def has_mean(self) -> bool:
        """True if centring subtracts a nonzero mean."""
        return self.mean != 0 and not is_zero(self.mean)

    def coefficients(self, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
        """Return c_0, …, c_k in float64, as mpf with proven ``digits``, or as ``exact`` sympy expressions.

        >>> Activation.from_text("relu").coefficients(3, exact=True)
        [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
        """
        values = self._coefficients(k, digits, exact)
        if self.is_centered:
            values[0] = 0 * values[0]
        return values

    @abstractmethod
    def _coefficients(self, k: int, digits: int | None, exact: bool) -> Coefficients: ...

    @abstractmethod
    def undecided(self, k: int) -> dict[int, str]:
        """Return the enclosures of those c_j, j ≤ k, that may or may not be zero."""

    def listed_coefficients(self, ell: int) -> dict[int, Exact]:
        """Return those of the individually known c_2, c_3, … that belong in a list for window ℓ."""
        return {} if self.c2 is None else {2: self.c2}

    def enclosed_coefficient(self, k: int) -> EnclosedNumber:
        """Return c_k, which can be enclosed to any accuracy; only formulas have it."""
        raise PrecisionError(f"coefficients of {self.name} cannot be proven: it is not a formula", argument="digits")

    def estimate(self, k: int) -> Estimate:
        """Return the estimated c_0, …, c_k of a sampled function, with their errors."""
        raise DomainError(f"{self.name} is not a sampled function, so it has no estimates", argument="activation")

    def plot(self, ax: Axes | None = None, *, k: int = 12, **style: object) -> Figure:
        """Draw c_0, …, c_k into an Axes, with properties of the points, and return the matplotlib figure."""
        return draw(self, ax=ax, k=k, **style)

    def conditions(self, ell: int | float | str) -> tuple[Condition, ...]:
        """Return the theorems' conditions on the activation for window ℓ, each with its state.

        >>> [condition.holds for condition in Activation.from_text("relu").conditions(ell=3)]
        [True, False, True]
        """
        return activation_conditions(self, read_ell(ell))

    @property
    def is_smooth(self) -> bool | None:
        """True if it has three bounded derivatives almost everywhere, or None if that is unknown."""
        return None

    @property
    def is_continuous(self) -> bool | None:
        """True if it has no jump, or None if that is unknown."""
        return None

    @property
    def derivative_source(self) -> str:
        """The source of σ': a "formula", a function that was "given", a "difference" of values, or "nowhere"."""
        return "nowhere"

    @property
    def knows_zeros(self) -> bool:
        """True if the k with c_k = 0 are known or can be found."""
        return self.is_provable or self.present is not None

    @property
    def listed(self) -> tuple[int, ...] | None:
        """The k that the user listed as having c_k ≠ 0, or None without a list."""
        return None if self.is_provable else self.present

    def spikes(self, ell: int) -> tuple[int, ...]:
        """Return K = {k ≤ ℓ: c_k ≠ 0}, or 1, …, ℓ if the c_k are unknown.

        The c_k of a function is zero where its structure shows it, and not zero where an enclosure excludes 0;
        an undecided c_k is refused.

        >>> Activation.from_moments("1/2", "3/10", present=(1, 2, 4)).spikes(3)
        (1, 2)
        """
        return tuple(k for k in (range(1, ell + 1) if self.present is None else self.present) if k <= ell)

    def infinite_spikes(self) -> Spikes:
        """Return K for ℓ = ∞: the k listed, or all k not excluded by the structure."""
        return ALL if self.present is None else Spikes(self.present)

    def to_dict(self) -> dict[str, object]:
        """Return the numbers of the activation as plain data for JSON."""
        return {
            "name": self.name,
            "c1": spell(self.c1),
            "c_rest": spell(self.c_rest),
            "c2": None if self.c2 is None else spell(self.c2),
            "present": None if self.present is None else list(self.present),
            "mean": spell(self.mean),
        }

    @property
    def text(self) -> str | None:
        """The text that recreates it, or None if there is none."""
        return (self.options() or {}).get("activation")

    @abstractmethod
    def described(self) -> sympy.Expr | str:
        """Return its formula, or a phrase about the numbers by which it is known."""

    def options(self) -> dict[str, str] | None:
        """Return the command-line options that recreate it, or None if it cannot be typed."""
        return None

    def python(self) -> str:
        """Return the Python that recreates it, or, for a function, the name of a variable."""
        return "activation"

    def notes(self) -> list[str]:
        """Return remarks on the origin of its numbers."""
        return []

    def is_same_function(self, other: Activation) -> bool:
        """Return whether another activation is the same function, however it was written."""
        return self == other
