"""The activation σ: what the limits see of it, and what each of its kinds answers for itself.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, about
from theorycalc.model.signatures import checked_call
from theorycalc.model.spikes import Spikes, read_ell
from theorycalc.numbers.exact import EnclosedNumber, Exact, is_zero, read, spell

if TYPE_CHECKING:
    import sympy
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from theorycalc.functions.pieces import End
    from theorycalc.model.callables import UserFunction
    from theorycalc.model.coefficient_lists import Coefficients
    from theorycalc.model.requirements import Condition
    from theorycalc.model.sampled import Estimate
    from theorycalc.numbers.exact import Floats


@dataclass(frozen=True, repr=False)
class Activation(ABC):
    """An activation: a function of x, or what every limit depends on.

    Make one with :func:`activation` from text, :meth:`from_callable`, :meth:`from_moments` or
    :meth:`from_coefficients`.  The theory centres it: ``mean`` is what is taken off.
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
        """Refuse the base class, which is no kind of activation, and name what makes one."""
        if cls is Activation:
            raise ArgumentError(
                "Activation() makes none: use Activation.from_text, from_callable, from_moments or from_coefficients"
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name in ("c1", "c_rest", "mean"):
            object.__setattr__(self, name, read(getattr(self, name), name))
        for name in ("c2", "slope_variance"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read(getattr(self, name), name))

    @classmethod
    @checked_call
    @about("text")
    def from_text(cls, text: str) -> Activation:
        """Read an activation by name or as an expression in x.

        >>> act = Activation.from_text("leaky_relu(0.1)")
        >>> float(act.c1), act.spikes(6), act.kinks
        (0.55, (1, 2, 4, 6), (Fraction(0, 1),))
        """
        from theorycalc.model.written import read_formula

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
        """Take a function of arrays, smooth between the ``kinks``; what it gives is estimated.

        It may be of numpy, torch or JAX arrays, or of one number.  No estimate shows that a c_k is zero: ``present``
        lists the k with c_k ≠ 0 where that is known.  One of c_0, c_1, c_2 that its error does not tell from 0 is 0.

        >>> import numpy as np
        >>> act = Activation.from_callable(np.tanh, present=(1, 3, 5))
        >>> round(act.c1, 12), act.guarantee
        (0.605705509602, 'estimated')
        """
        from theorycalc.model.sampled import sample_activation

        return sample_activation(function, kinks, derivative, present, name)

    @classmethod
    @checked_call
    def from_moments(
        cls, c1: Exact | int | str, c_rest: Exact | int | str, present: Iterable[int] | None = None
    ) -> Activation:
        """Describe an activation by c_1, c_{>1} ≥ 0 (not its square) and the k with c_k ≠ 0.

        ``present`` is taken at its word: what it does not list is zero.  Without it nothing
        is known of the c_k, and a prediction assumes c_1, …, c_ℓ ≠ 0 and says so.

        >>> Activation.from_moments(c1="1/2", c_rest="3/10", present=(1, 2, 4)).present
        (1, 2, 4)
        """
        from theorycalc.model.moments import read_moments

        return read_moments(c1, c_rest, present)

    @classmethod
    @checked_call
    def from_coefficients(
        cls, coefficients: Iterable[Exact | int | str] | Mapping[int, Exact | int | str]
    ) -> Activation:
        """Describe the polynomial activation c_1 H_1 + c_2 H_2 + … by its coefficients: a list, or {1: c_1, 2: c_2}.

        >>> act = Activation.from_coefficients(["1", "1/2", "3/10"])
        >>> act.present, act.c_rest
        ((1, 2, 3), sqrt(26)/5)
        """
        from theorycalc.model.moments import read_coefficients

        return read_coefficients(coefficients)

    def __repr__(self) -> str:
        return f"Activation({self.name!r})"

    @abstractmethod
    def __call__(self, x: ArrayLike) -> Floats:
        """Return σ(x) for an array x; of a centred activation, less its mean."""

    @abstractmethod
    def derivative(self, x: ArrayLike) -> Floats:
        """Return σ'(x) for an array x, kinks apart; a central difference of a function without ``derivative``."""

    @abstractmethod
    def centered(self) -> Activation:
        """Return σ − E σ(Z), which is what the theory works with."""

    @property
    @abstractmethod
    def kinks(self) -> tuple[End, ...]:
        """The points where the function is not smooth, exactly."""

    @property
    @abstractmethod
    def kink_floats(self) -> tuple[float, ...]:
        """The kinks in float64."""

    @property
    def parity(self) -> str | None:
        """The parity "odd" or "even", or None where neither is shown; of a centred activation without its mean."""
        return None

    @property
    @abstractmethod
    def guarantee(self) -> str:
        """What c_1 and c_{>1} are worth: "exact", "enclosed" or "estimated"."""

    @property
    def has_mean(self) -> bool:
        """Whether centring takes something off."""
        return self.mean != 0 and not is_zero(self.mean)

    @abstractmethod
    def coefficients(self, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
        """Return c_0, …, c_k: float64, mpf of proven ``digits``, or ``exact`` sympy expressions.

        >>> Activation.from_text("relu").coefficients(3, exact=True)
        [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
        """

    @abstractmethod
    def undecided(self, k: int) -> dict[int, str]:
        """Return where the c_j, j ≤ k, lie of which nothing shows whether they are zero.

        >>> Activation.from_text("tanh").undecided(4)
        {}
        """

    @abstractmethod
    def listed_coefficients(self, ell: int) -> dict[int, Exact]:
        """Return those of c_2, c_3, … to list for window ℓ that are known one by one.

        >>> sorted(Activation.from_text("relu").listed_coefficients(4))
        [2, 3, 4]
        """

    def enclosed_coefficient(self, k: int) -> EnclosedNumber:
        """Return c_k, as exact as one asks; only a formula has it.

        >>> Activation.from_text("relu").enclosed_coefficient(2).sign()
        1
        """
        raise PrecisionError(f"the coefficients of {self.name} cannot be proven: it is no formula")

    def plot(self, ax: Axes | None = None, *, k: int = 12, **style: object) -> Figure:
        """Draw the Hermite coefficients c_0, …, c_k, and return the matplotlib figure.

        ``ax`` is an Axes to draw into; ``style`` are properties of the points.
        """
        from theorycalc.model.figures import draw

        return draw(self, ax=ax, k=k, **style)

    def estimate(self, k: int) -> Estimate:
        """Return the estimated c_0, …, c_k of a sampled function, with their errors."""
        raise DomainError(f"{self.name} is not a sampled function: nothing of it is estimated")

    def conditions(self, ell: int | float | str) -> tuple[Condition, ...]:
        """Return the theorems' conditions on the activation for window ℓ, each with its state.

        >>> [condition.holds for condition in Activation.from_text("relu").conditions(ell=3)]
        [True, False, True]
        """
        from theorycalc.model.requirements import activation_conditions

        return activation_conditions(self, read_ell(ell))

    @property
    def is_smooth(self) -> bool | None:
        """Whether it has three bounded derivatives almost everywhere; None: not known."""
        return None

    @property
    def is_continuous(self) -> bool | None:
        """Whether it has no jump; None: not known."""
        return None

    def compiled_derivative(self) -> Callable[[Floats], Floats]:
        """Return σ' as a function of arrays, made once for many calls."""
        return self.derivative

    @property
    def derivative_source(self) -> str:
        """Where σ' comes from: its "formula", a function that was "given", a "difference" of values, or "nowhere"."""
        return "nowhere"

    @property
    def knows_zeros(self) -> bool:
        """Whether it is known, or can be found, which c_k are zero."""
        return self.present is not None

    @property
    def listed(self) -> tuple[int, ...] | None:
        """The k that the user listed as those with c_k ≠ 0; None: no list was given."""
        return self.present

    @abstractmethod
    def spikes(self, ell: int) -> tuple[int, ...]:
        """Return K = {k ≤ ℓ: c_k ≠ 0}; 1, …, ℓ where the c_k are not known.

        Of a function, c_k is zero where its structure shows it, and not zero where an enclosure excludes 0;
        a c_k that is neither is refused.

        >>> Activation.from_moments("1/2", "3/10", present=(1, 2, 4)).spikes(3)
        (1, 2)
        """

    @abstractmethod
    def infinite_spikes(self) -> Spikes:
        """Return K for ℓ = ∞: the k listed, or what the structure leaves of all k."""

    def to_dict(self) -> dict[str, object]:
        """Return what is known of the activation, as JSON shows it."""
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
        """The text that makes it again, or None where there is none."""
        return None

    @abstractmethod
    def described(self) -> sympy.Expr | str:
        """Return its formula, or words that say by what it is known."""

    def options(self) -> dict[str, str] | None:
        """Return the options of a command line that make it again, or None where it cannot be typed."""
        return None

    def python(self) -> str:
        """Return the Python that makes it again, or the name of a variable for what must be made as before."""
        return "activation"

    def notes(self) -> list[str]:
        """Return what is to be said of where its numbers come from."""
        return []

    def is_same_function(self, other: Activation) -> bool:
        """Say whether another activation is this function, however it was written."""
        return self == other
