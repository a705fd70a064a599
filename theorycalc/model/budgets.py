"""The budget of an evaluation, as users change it."""

from __future__ import annotations

from contextlib import AbstractContextManager

from theorycalc.model.signatures import checked_call
from theorycalc.running.budget import allowing


@checked_call
def budget(seconds: float) -> AbstractContextManager[None]:
    """Allow each evaluation in a block so much processor time for the functions of its problem; by default 2 seconds.

    An evaluation is the reading of a problem, or a call such as ``predict`` or ``step``; a sweep or a search has the
    budget at each of its points.  A function that takes longer ends in a :class:`BudgetError`.  Other work does not
    count, proofs of over 100 digits get more by themselves, and threads that start in the block keep the default.

    Parameters
    ----------
    seconds : number
        Seconds of processor time, above 0; ``float("inf")`` is no limit.

    Returns
    -------
    context manager
        The block is ``with tc.budget(60): …``.

    Raises
    ------
    TheoryError
        ``seconds`` is not a positive number.

    >>> from theorycalc import coefficients
    >>> with budget(seconds=60):
    ...     coefficients("sin(x**3)", 3).round(4)
    array([ 0.    ,  0.2147,  0.    , -0.0782])
    """
    return allowing(seconds)
