"""Setting 1 and Setting 2: gains against the exponent of the step.

What does a step η = n^α gain on the two teachers of the source? Setting 1, y = H_1 + ε with ε ~ N(0, 1), has a linear
part only, so the limit (thick) is the same in every window; Setting 2, y = H_1 + H_2/√2 without noise, gains more
from the second window on. Curves are `tc.step` at the n of the simulation, points are simulated networks with one
standard error. The limits are the theorem's; a network's own differ a little where there is a second spike. Shades
and numbers on top are the windows ℓ; the dotted line is the limit ℓ → ∞.

The source gives no sizes, ridge or activation: here tanh(x + 1), whose first coefficients are not zero, d = n/2, N =
3n/4, λ = 1/10, and the step follows the true residual. Full size: n = 600; small: n = 100 and fewer draws.
"""

import numpy as np
from common import GAINS, checks_of, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, house_style, panels
from theorycalc.plots.windows import draw_limits, shade_windows

SETTINGS = {
    "Setting 1: $y = H_1 + \\varepsilon$": {"teacher": "H1", "noise": 1},
    "Setting 2: $y = H_1 + H_2/\\sqrt{2}$": {"teacher": "H1 + H2/sqrt(2)", "noise": 0},
}

chosen = options(__doc__)
n, replicates = (100, 10) if chosen.small else (600, 24)
alphas = [0.1, 0.3, 0.5] if chosen.small else [0, 0.06, 0.12, 0.18, 0.24, 0.3, 0.36, 0.42, 0.48]
curve = np.linspace(0, 0.55, 12 if chosen.small else 45)


problems = [tc.Problem("tanh(x + 1)", phi="1/2", psi="2/3", ridge="1/10", **setting) for setting in SETTINGS.values()]
comparisons = [
    tc.compare(
        tc.simulate(problem, n=n, alpha=alphas, replicates=replicates, seed=seed),
        tc.step(problem, n=n, alpha=alphas),
    )
    for seed, problem in enumerate(problems)
]


def draw(axis, name, problem, comparison):
    """Draw one gain: the limits of the windows, the theory at n, and the simulated points."""
    limits = {ell: getattr(tc.predict(problem, ell=ell), name) for ell in range(1, 13)}
    draw_limits(axis, limits, ceiling=getattr(tc.predict(problem, ell="inf"), name))
    theory = getattr(tc.step(problem, n=n, alpha=curve), name)
    axis.plot(curve, theory, color=COLOURS[0], zorder=5, label=f"theory at n = {n}")
    words = f"simulated, {replicates} draws ± s.e."
    draw_checks(axis, alphas, checks_of(comparison, name), fmt="o", color=COLOURS[1], label=words)
    axis.set(ylabel=GAINS[name], xlim=(-0.01, 0.55), ymargin=0.1)
    axis.set_ylim(bottom=min(0.0, axis.get_ylim()[0]))


with house_style():
    figure, axes = panels(2, 2, width=7.0, height=4.2, sharex=True)
    for row, name in enumerate(GAINS):
        for column, (problem, comparison) in enumerate(zip(problems, comparisons, strict=True)):
            shade_windows(axes[2 * row + column], named=row == 0)
            draw(axes[2 * row + column], name, problem, comparison)
    for column, title in enumerate(SETTINGS):
        axes[column].set_title(title, pad=13)
        axes[2 + column].set_xlabel("α = log η / log n")
    axes[0].plot([], [], color=INK, lw=2, label="theorem's limit in each window")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
tc.plots.save(figure, chosen.output / "settings_1_and_2.svg")

everything = []
for number, comparison in enumerate(comparisons, start=1):
    for name, label in GAINS.items():
        checks = checks_of(comparison, name)
        print(f"Setting {number}\n{checks_table(checks, label, 'theory at n')}\n")
        everything += [check._replace(name=f"Setting {number}, {check.name}, {name}") for check in checks]
print(verdict(everything, "the theory at their n"))
