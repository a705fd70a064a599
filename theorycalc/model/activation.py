"""The activation σ: a function, and what the limits see of it: c_1, c_{>1}, which c_k ≠ 0 (theory section 2)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorycalc.errors import ArgumentError, DomainError, checked_call
from theorycalc.model.moments import fields_of_coefficients, fields_of_moments
from theorycalc.model.spikes import read_ell, read_indices
from theorycalc.numbers.exact import EnclosedNumber, Exact, is_zero, read, spell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.functions.pieces import End
    from theorycalc.functions.tree import Tree
    from theorycalc.model.requirements import Condition
    from theorycalc.model.sampled import Estimate


@dataclass(frozen=True, repr=False)
class Activation:
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
    tree: Tree | None = None
    function: Callable[[Any], Any] | None = None
    slope: Callable[[Any], Any] | None = None
    given_kinks: tuple[float, ...] = ()
    is_centered: bool = False
    slope_variance: Exact | None = None  # Var σ'(Z); None: not known
    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    def __post_init__(self) -> None:
        for name in ("c1", "c_rest", "mean"):
            object.__setattr__(self, name, read(getattr(self, name), name))
        for name in ("c2", "slope_variance"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read(getattr(self, name), name))

    @classmethod
    @checked_call
    def from_text(cls, text: str) -> Activation:
        """Read an activation by name or as an expression in x.

        >>> act = Activation.from_text("leaky_relu(0.1)")
        >>> float(act.c1), act.spikes(6), act.kinks
        (0.55, (1, 2, 4, 6), (Fraction(0, 1),))
        """
        from theorycalc.functions.grammar import parse_activation
        from theorycalc.hermite.coefficients import check_defined
        from theorycalc.model.computed import HermiteCoefficient, RestNorm, SlopeVariance, hermite_of_polynomial

        tree = parse_activation(text)
        check_defined(tree)
        polynomial = hermite_of_polynomial(tree)
        present = None
        if polynomial is not None:
            present = tuple(k for k in range(1, len(polynomial)) if not is_zero(HermiteCoefficient(tree, k)))
        first, second, mean = (_number(HermiteCoefficient(tree, k)) for k in (1, 2, 0))
        rest: Exact = Fraction(0) if present is not None and not any(k > 1 for k in present) else RestNorm(tree)
        return cls(first, rest, present, second, text.strip(), mean, tree, slope_variance=SlopeVariance(tree))

    @classmethod
    @checked_call
    def from_callable(
        cls,
        function: Callable[[Any], Any],
        kinks: Sequence[float] = (),
        derivative: Callable[[Any], Any] | None = None,
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
        if not callable(function):
            raise ArgumentError(f"from_callable() takes a function, not {type(function).__name__}", argument="function")
        from theorycalc.model.callables import check_elementwise, name_of
        from theorycalc.model.sampled import estimate, variance_of

        check_elementwise(function)
        points = tuple(float(k) for k in kinks)
        found = estimate(function, points, 2)
        mean, first, second = found.told_from_zero()
        known = cls(
            first,
            float(found.rest_squared**0.5),
            None if present is None else read_indices(present),
            second,
            str(name or name_of(function)),
            mean,
            function=function,
            slope=derivative,
            given_kinks=points,
        )
        return replace(known, slope_variance=variance_of(known.derivative, points))

    @classmethod
    @checked_call
    def from_moments(cls, c1: Any, c_rest: Any, present: Iterable[int] | None = None) -> Activation:
        """Describe an activation by c_1, c_{>1} ≥ 0 (not its square) and the k with c_k ≠ 0.

        ``present`` is taken at its word: what it does not list is zero.  Without it nothing
        is known of the c_k, and a prediction assumes c_1, …, c_ℓ ≠ 0 and says so.

        >>> Activation.from_moments(c1="1/2", c_rest="3/10", present=(1, 2, 4)).present
        (1, 2, 4)
        """
        return cls(**fields_of_moments(c1, c_rest, present))

    @classmethod
    @checked_call
    def from_coefficients(cls, coefficients: Iterable[Any] | Mapping[int, Any]) -> Activation:
        """Describe the polynomial activation c_1 H_1 + c_2 H_2 + … by its coefficients: a list, or {1: c_1, 2: c_2}.

        >>> act = Activation.from_coefficients(["1", "1/2", "3/10"])
        >>> act.present, act.c_rest
        ((1, 2, 3), sqrt(26)/5)
        """
        return cls(**fields_of_coefficients(coefficients))

    def __repr__(self) -> str:
        return f"Activation({self.name!r})"

    def __call__(self, x: Any) -> Any:
        """Return σ(x) for an array x; of a centred activation, less its mean."""
        values = self._compiled(x)
        return values - float(self.mean) if self.is_centered else values

    def derivative(self, x: Any) -> Any:
        """Return σ'(x) for an array x, kinks apart; a central difference of a function without ``derivative``."""
        if self.tree is not None:
            from theorycalc.functions.algebra import derivative
            from theorycalc.functions.evaluate import compile_numpy

            return compile_numpy(derivative(self.tree))(x)
        self._needs_function("derivative()")
        from theorycalc.model.callables import difference, values_of

        assert self.function is not None
        return difference(self.function, x) if self.slope is None else values_of(self.slope, x)

    def centered(self) -> Activation:
        """Return σ − E σ(Z), which is what the theory works with."""
        self._needs_function("centered()")
        return replace(self, is_centered=True)

    @property
    def kinks(self) -> tuple[End, ...]:
        """The points where the function is not smooth, exactly."""
        if self.tree is None:
            return tuple(map(Fraction, self.given_kinks))
        from theorycalc.functions.pieces import kinks_of

        return tuple(kinks_of(self.tree))

    @property
    def kink_floats(self) -> tuple[float, ...]:
        """The kinks in float64."""
        if self.tree is None:
            return self.given_kinks
        from theorycalc.functions.constants import float_of
        from theorycalc.functions.pieces import as_tree

        return tuple(float_of(as_tree(kink)) for kink in self.kinks)

    @property
    def parity(self) -> str | None:
        """The parity "odd" or "even", or None where neither is shown; of a centred activation without its mean."""
        if self.tree is None:
            return None
        from theorycalc.functions.parity import parity, parity_modulo_polynomial

        found = parity_modulo_polynomial(self.tree) if self.is_centered else None
        if found is not None and len(found[1]) == 1:  # nothing but a constant is taken off
            return found[0]
        return parity(self.tree)

    @property
    def guarantee(self) -> str:
        """What c_1 and c_{>1} are worth: "exact", "enclosed" or "estimated"."""
        if self.function is not None or (isinstance(self.c1, EnclosedNumber) and not self.c1.is_proven):
            return "estimated"
        return "exact" if self.tree is None else "enclosed"

    @property
    def has_mean(self) -> bool:
        """Whether centring takes something off."""
        return self.mean != 0 and not is_zero(self.mean)

    def coefficients(self, k: int, digits: int | None = None, exact: bool = False) -> Any:
        """Return c_0, …, c_k: float64, mpf of proven ``digits``, or ``exact`` sympy expressions.

        >>> Activation.from_text("relu").coefficients(3, exact=True)
        [sqrt(2)/(2*sqrt(pi)), 1/2, sqrt(2)/(4*sqrt(pi)), 0]
        """
        from theorycalc.model.coefficient_lists import estimated_coefficients, tree_coefficients

        self._needs_function("coefficients()")
        if self.tree is not None:
            values = tree_coefficients(self.tree, k, digits, exact)
        else:
            values = estimated_coefficients(self.estimate(k), digits, exact)
        if self.is_centered:
            values[0] = 0 * values[0]
        return values

    def plot(self, ax: Any = None, *, k: int = 12, **style: Any) -> Figure:
        """Draw the Hermite coefficients c_0, …, c_k, and return the matplotlib figure.

        ``ax`` is an Axes to draw into; ``style`` are properties of the points.
        """
        from theorycalc.plots.drawing import draw

        return draw(self, ax=ax, k=k, **style)

    def estimate(self, k: int) -> Estimate:
        """Return the estimated c_0, …, c_k of a sampled function, with their errors."""
        from theorycalc.model.sampled import estimate

        if self.function is None:
            raise DomainError(f"{self.name} is not a sampled function: nothing of it is estimated")
        return estimate(self.function, self.given_kinks, k)

    def conditions(self, ell: Any) -> tuple[Condition, ...]:
        """Return the theorems' conditions on the activation for window ℓ, each with its state.

        >>> [condition.holds for condition in Activation.from_text("relu").conditions(ell=3)]
        [True, False, True]
        """
        from theorycalc.model.requirements import activation_conditions

        return activation_conditions(self, read_ell(ell))

    @property
    def knows_zeros(self) -> bool:
        """Whether it is known, or can be found, which c_k are zero."""
        return self.present is not None or self.tree is not None

    def spikes(self, ell: int) -> tuple[int, ...]:
        """Return K = {k ≤ ℓ: c_k ≠ 0}; 1, …, ℓ where the c_k are not known.

        Of a function, c_k is zero where its structure shows it, and not zero where an enclosure excludes 0;
        a c_k that is neither is refused.

        >>> Activation.from_moments("1/2", "3/10", present=(1, 2, 4)).spikes(3)
        (1, 2)
        """
        if self.present is None and self.tree is not None:
            from theorycalc.model.computed import spikes_of_tree

            return spikes_of_tree(self.tree, ell)
        if self.present is None and self.function is not None:
            from theorycalc.model.sampled import estimated_spikes

            return estimated_spikes(self.estimate(max(ell, 2)), ell, self.name)
        return tuple(k for k in (range(1, ell + 1) if self.present is None else self.present) if k <= ell)

    def infinite_spikes(self) -> tuple[int, ...] | str | None:
        """Return K for ℓ = ∞: the k listed, "odd" or "1+even" by structure, or None for every k."""
        if self.present is not None or self.tree is None:
            return self.present
        from theorycalc.model.computed import infinite_pattern

        pattern = infinite_pattern(self.tree)
        return None if pattern == "all" else pattern

    def to_dict(self) -> dict[str, Any]:
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
    def _compiled(self) -> Callable[[Any], Any]:
        self._needs_function("a value")
        if self.tree is None:
            from theorycalc.model.callables import values_of

            assert self.function is not None
            return functools.partial(values_of, self.function)
        return _compiled(self.tree)

    def _needs_function(self, what: str) -> None:
        if self.tree is None and self.function is None:
            raise DomainError(
                f"{what} needs the function: {self.name} is known by its moments only; "
                "write it as text, such as 'H1 + H2/2'"
            )


def _number(value: EnclosedNumber) -> Exact:
    """Return zero as the number 0, and anything else as it is; what is undecided is left so."""
    try:
        return Fraction(0) if value.sign() == 0 else value
    except DomainError:
        return value


@functools.lru_cache(maxsize=256)
def _compiled(tree: Tree) -> Callable[[Any], Any]:
    from theorycalc.functions.evaluate import compile_defined

    return compile_defined(tree)
