"""Ridge penalties of other papers, converted to ours: (1/n)‖y − Fa‖² + λ‖a‖², F = σ(XWᵀ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from theorycalc.errors import ArgumentError, DomainError, one_of
from theorycalc.model.signatures import checked_call, documented
from theorycalc.numbers.exact import Exact, NumberLike, is_negative, read, read_rational


class Convention(NamedTuple):
    """One way of writing the penalty: the sizes that it needs, and our λ."""

    needs: tuple[str, ...]
    ours: Callable[..., Exact]


CONVENTIONS = {
    # (1/n)‖y − Fa‖² + λ‖a‖²: ours
    "mean": Convention((), lambda lam: lam),
    # ‖y − Fa‖² + λ‖a‖²: scikit-learn's Ridge
    "sum": Convention(("n",), lambda lam, n: lam / n),
    # ½‖y − Fa‖² + (λ/2)‖a‖²
    "half_sum": Convention(("n",), lambda lam, n: lam / n),
    # (1/n)‖y − Fa/√N‖² + λ‖a‖²: λN in ours
    "mean_scaled_features": Convention(("n", "phi", "psi"), lambda lam, n, phi, psi: lam * n * phi / psi),
    # ‖y − Fa/√N‖² + λ‖a‖²: λN/n in ours; Adlam–Pennington, Cui et al.
    "sum_scaled_features": Convention(("phi", "psi"), lambda lam, phi, psi: lam * phi / psi),
    # (1/n)‖y − Fa‖² + (N/d)λ‖a‖²: Mei–Montanari
    "mei_montanari": Convention(("psi",), lambda lam, psi: lam / psi),
}


@documented
@checked_call
def ridge_from(
    convention: str,
    value: NumberLike,
    *,
    phi: NumberLike | None = None,
    psi: NumberLike | None = None,
    n: NumberLike | None = None,
) -> Exact:
    """Return our λ for a penalty that is written in another convention.

    Parameters
    ----------
    convention : str
        "mean", ours, (1/n)‖y − Fa‖² + λ‖a‖²; "sum", without 1/n (scikit-learn's Ridge); "half_sum", with ½ and λ/2;
        "mean_scaled_features" and "sum_scaled_features", with F/√N for F (Adlam–Pennington, Cui et al.);
        "mei_montanari", ours with (N/d)λ.
    value : number ≥ 0
        The penalty in that convention.

    Returns
    -------
    Fraction, float or sympy expression
        λ, exact where the numbers are.

    Raises
    ------
    TheoryError
        The convention is not known, a size that it needs is missing, or a number is out of its range.

    >>> ridge_from("sum_scaled_features", "1/10", phi="1/2", psi="2/3")
    Fraction(3, 40)
    >>> ridge_from("sum", "100", n=2000)
    Fraction(1, 20)
    """
    needs, ours = CONVENTIONS[one_of(convention, "convention", tuple(CONVENTIONS))]
    lam = read(value, "value")
    if is_negative(lam):
        raise DomainError(f"value={value}: a ridge penalty is not negative", argument="value")
    given = {"n": n, "phi": phi, "psi": psi}
    sizes = {}
    for name in needs:
        if given[name] is None:
            wanted = ", ".join(needs)
            raise ArgumentError(f"convention {convention!r} needs {wanted}; {name} is not given", argument=name)
        sizes[name] = read_rational(given[name], name)
        if sizes[name] <= 0:
            raise DomainError(f"{name}={given[name]} must be positive", argument=name)
    result = ours(lam, **sizes)
    if isinstance(result, float) and not math.isfinite(result):
        raise DomainError(
            f"value={value}: our λ would be beyond the range of float64; give exact numbers", argument="value"
        )
    return result
