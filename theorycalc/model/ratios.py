"""The sizes n, d and N of a problem or their ratios, as they are read."""

from __future__ import annotations

from fractions import Fraction

from theorycalc.errors import ArgumentError, spelled
from theorycalc.model.points import read_ratio
from theorycalc.numbers.exact import NumberLike, whole

POSITIVE = "a positive whole number"


def read_sizes(n: NumberLike | None, d: NumberLike | None, N: NumberLike | None) -> dict[str, int]:
    """Return n, d and N where they are given: all three, or none.

    >>> read_sizes(900, 300, 600), read_sizes(None, None, None)
    ({'n': 900, 'd': 300, 'N': 600}, {})
    """
    stated = {"n": n, "d": d, "N": N}
    missing = [name for name, size in stated.items() if size is None]
    if len(missing) == len(stated):
        return {}
    if missing:
        lacking = " and ".join(map(spelled, missing))
        raise ArgumentError(
            f"Problem() has sizes without {lacking}; give {_all_sizes()}, or {spelled('phi')} and {spelled('psi')}",
            argument=missing[0],
        )
    return {name: whole(size, name, POSITIVE) for name, size in stated.items()}


def read_ratios(phi: NumberLike | None, psi: NumberLike | None, sizes: dict[str, int]) -> dict[str, Fraction | float]:
    """Return φ and ψ; ratios beside sizes must be those of the sizes.

    >>> read_ratios(None, None, {"n": 900, "d": 300, "N": 600})
    {'phi': Fraction(1, 3), 'psi': Fraction(1, 2)}
    """
    if not sizes:
        if phi is None or psi is None:
            ratios_of = f"{spelled('phi')} (d/n) and {spelled('psi')} (d/N)"
            raise ArgumentError(
                f"Problem() needs the ratios {ratios_of}, or the sizes {_all_sizes()}",
                argument="phi" if phi is None else "psi",
            )
        return {"phi": read_ratio(phi, "phi"), "psi": read_ratio(psi, "psi")}
    ratios: dict[str, Fraction | float] = {
        "phi": Fraction(sizes["d"], sizes["n"]),
        "psi": Fraction(sizes["d"], sizes["N"]),
    }
    for name, stated in (("phi", phi), ("psi", psi)):
        if stated is not None and read_ratio(stated, name) not in (ratios[name], float(ratios[name])):
            raise ArgumentError(
                f"{spelled(name, stated)} contradicts the sizes, of which it is {ratios[name]}", argument=name
            )
    return ratios


def _all_sizes() -> str:
    return f"{spelled('n')}, {spelled('d')} and {spelled('N')}"


def read_step_samples(samples: NumberLike | None, sizes: dict[str, int]) -> Fraction | float | None:
    """Return the size of the step's batch: whole where sizes are given, else a share of n.

    >>> read_step_samples("1/2", {})
    Fraction(1, 2)
    """
    if samples is None:
        return None
    return whole(samples, "step_samples", POSITIVE) if sizes else read_ratio(samples, "step_samples")
