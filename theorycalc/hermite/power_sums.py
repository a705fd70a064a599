"""From Σ w_n x_n^i to Σ w_n He_k(x_n), and bounds of |He_k|.

Powers need one multiplication for each node and k where the recurrence of He_k needs two; the triangle that turns them
into He_k afterwards is shared by all nodes.  In balls both lose the same bits: the coefficients of He_k without their
signs, P_k, against He_k itself, at most e^{k/2} under the Gaussian.
"""

from __future__ import annotations

import flint
from flint import arb


def lost_bits(K: int) -> int:
    """Return about how many bits the cancellation in He_K costs: log2 of max_x P_K(x) e^{−x²/2}/√K!.

    >>> lost_bits(64)
    48
    """
    return 3 * K // 4


def hermite_majorants(radius: flint.arb, K: int) -> list[flint.arb]:
    """Return P_0, …, P_K with |He_k(z)| ≤ P_k(|z|): the coefficients of He_k without their signs.

    >>> [int(float(p)) for p in hermite_majorants(arb(2), 3)]
    [1, 2, 5, 14]
    """
    values = [arb(1), radius]
    for k in range(1, K):
        values.append(radius * values[k] + k * values[k - 1])
    return values[: K + 1]


def add_powers(sums: list[flint.arb], first: int, stride: int, start: flint.arb, factor: flint.arb) -> None:
    """Add w x^i to sums[i] for i = first, first + stride, …, given w x^first and x^stride."""
    value = start
    for i in range(first, len(sums) - stride, stride):
        sums[i] += value
        value = value * factor
    last = first + (len(sums) - 1 - first) // stride * stride
    if first < len(sums):
        sums[last] += value


def hermite_sums(powers: list[flint.arb]) -> list[flint.arb]:
    """Turn Σ w x^i, i ≤ K, into Σ w He_k(x), k ≤ K, by x^i He_{k+1} = x^{i+1} He_k − k x^i He_{k−1}.

    >>> [int(float(s)) for s in hermite_sums([arb(2) ** i for i in range(4)])]
    [1, 2, 3, 2]
    """
    before, now = [arb(0)] * len(powers), list(powers)
    result = [now[0]]
    for k in range(len(powers) - 1):
        before, now = now, [now[i + 1] - k * before[i] for i in range(len(now) - 1)]
        result.append(now[0])
    return result
