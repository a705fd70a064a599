"""Error rates of sign(t + b) in the limit, by mpmath alone: an independent way to proven digits.

Written from docs/theory/error_rate.md without code of the package: m_1 and m_2 by the two printed equations, their
slopes by differences of the solution, the spikes h, h² and h³ by their normal equations, and the rate as an integral
over h of one over t.  The activation is Σ_k a_k H_k, and all a_i of the second layer are Gaussian.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpmath import mp, mpf

_NODES = 8  # for each standard deviation of h


def traces(phi: mpf, psi: mpf, lam: mpf, c1: mpf, rest: mpf) -> tuple[mpf, mpf]:
    """Return m_1 and m_2, ``rest`` the square of c_{>1}."""

    def equations(m1: mpf, m2: mpf) -> tuple[mpf, mpf]:
        both = c1**2 * m1 * m2 * (lam * psi * m1 / phi - 1)
        return (
            phi * (m1 - m2) * (rest * m1 + c1**2 * m2) + both,
            phi / psi * (c1**2 * m1 * m2 + phi * (m2 - m1)) + both,
        )

    def second(m1: mpf) -> mpf:
        return phi**2 / psi * m1 / (c1**2 * m1 * (lam * psi * m1 / phi - 1 + phi / psi) + phi**2 / psi)

    low, high = max(mpf(0), phi * (1 - phi / psi) / (psi * lam)), phi / (psi * lam)
    for _ in range(60):  # m_2 > 0 of the second equation, and the first one changes its sign
        middle = (low + high) / 2
        low, high = (middle, high) if equations(middle, second(middle))[0] < 0 else (low, middle)
    found = mp.findroot(equations, (low, second(low)))
    return found[0], found[1]


def rates(phi: str, psi: str, lam: str, activation: Sequence[str], bias: str, digits: int) -> tuple[mpf, mpf]:
    """Return the rates before the step and with K = {1, 2, 3}, of the theorem, for the teacher sign(t + bias)."""
    with mp.workdps(digits + 15):
        a = [mp.mpf(0)] + [_fraction(value) for value in activation]
        sizes = tuple(map(_fraction, (phi, psi)))
        return _rates(*sizes, _fraction(lam), a, _fraction(bias))


def _fraction(text: str) -> mpf:
    top, _, below = text.partition("/")
    return mpf(top) / mpf(below or 1)


def _rates(phi: mpf, psi: mpf, lam: mpf, a: Sequence[mpf], bias: mpf) -> tuple[mpf, mpf]:
    c1, rest = a[1], sum(mp.factorial(k) * a[k] ** 2 for k in range(2, len(a)))
    m1, m2 = traces(phi, psi, lam, c1, rest)
    step = mpf(10) ** (-mp.dps // 4)
    with mp.workdps(2 * mp.dps):
        near = [traces(phi, psi, lam + shift * step, c1, rest) for shift in (-2, -1, 1, 2)]
        slopes = [(8 * (near[2][i] - near[1][i]) - (near[3][i] - near[0][i])) / (12 * step) for i in (0, 1)]
    s, k = psi * m1 / phi, m2 / m1
    test_rest, test_linear = (-slope / (m1 * s) for slope in slopes)

    mean = mp.erf(bias / mp.sqrt(2))
    density = mp.npdf(bias)
    c = [mpf(0)] + [2 * _hermite(j - 1, -bias) * density / mp.factorial(j) for j in range(1, 4)]
    energy = 1 - mean**2
    rho = c[1] / mp.sqrt(c[1] ** 2 + phi * energy)
    off = mp.sqrt(1 - rho**2)

    scatter = (test_linear - k**2) * c[1] ** 2 + (test_rest - 1) * (energy - c[1] ** 2)
    before = _wrong(mean, bias, mpf(0), mpf(1), lambda h: mpf(0), (1 - k) * c[1], scatter)
    even = 2 * c[2] * rho**2 / 3  # h² = 1 + H_2, of the squared length 3
    odd = c[3] * rho**3
    # E[y|h] − p leaves of H_0 the part −even, of H_2 c_2ρ² − even; all else of degree ≥ 2 is left but the part on H_3
    learned = 6 * odd**2 + 3 * even**2
    linear = c[1] ** 2 * off**2
    left = energy - c[1] ** 2 - learned
    variance = (test_linear - k**2) * linear + (test_rest - 1) * left

    def p(h: mpf) -> mpf:
        return c[1] * rho * h + even * h**2 + odd * (h**3 - 3 * h)

    return before, _wrong(mean, bias, rho, off, p, (1 - k) * c[1] * off, variance)


def _hermite(k: int, x: mpf) -> mpf:
    return [mpf(1), x, x**2 - 1][k]


def _wrong(mean, bias, rho, off, p, slope, variance) -> mpf:  # type: ignore[no-untyped-def]
    """Return the mean over h and g of the chance of a wrong sign, t = ρh + √(1−ρ²)g."""
    deviation = mp.sqrt(variance)

    end = mp.sqrt(2 * mp.dps * mp.log(10)) + 1

    def given(h: mpf) -> mpf:
        turn = min(max((-bias - rho * h) / off, -end), end)
        center = mean + p(h)

        def negative(g: mpf) -> mpf:
            return mp.npdf(g) * mp.ncdf(-(center + slope * g) / deviation)

        rule = {"method": "gauss-legendre", "maxdegree": 5}
        low, high = (mp.quad(negative, _cut(*ends), **rule) for ends in ((-end, turn), (turn, end)))
        return mp.ncdf(turn) - low + high  # below the turn the label is −1

    if rho == 0:
        return given(mpf(0))
    count = int(_NODES * end)  # equal steps: the function is smooth, and vanishes at the ends
    return sum(mp.npdf(h) * given(h) for h in (end * j / count for j in range(1 - count, count))) * end / count


def _cut(low: mpf, high: mpf) -> list[mpf]:
    count = max(1, int((high - low) / 3))
    return [low + (high - low) * j / count for j in range(count + 1)]
