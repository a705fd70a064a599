"""The first layer: rows on the sphere against Gaussian rows.

Does the law of the first layer matter? The paper draws the rows of W₀ from the unit sphere, the slides from N(0,
I/d). Gaussian rows differ in length, which, if c_2 ≠ 0, makes a constant feature and changes the gain of the quadratic
spike. Above: the gains of both, theory at n and simulated networks; below: the additional gain of Gaussian rows. These
differences are paired, since both networks have the same directions, data and second layer. Error bars are one
standard error; points above are moved a little sideways. Left: test loss gained; right: training loss gained.

ReLU (c_2 ≠ 0), teacher H_1 + H_2 without noise, d = n/2, N = 3n/4, λ = 1/10, step on the true residual. Full size: n
= 600; small: n = 100, and fewer steps and draws.
"""

import numpy as np
from common import GAINS, Check, checks_of, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, MARKERS, house_style, panels

LAYERS = ("sphere", "gaussian")

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 32)
alphas = [0.2, 0.4] if chosen.small else [0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
curve = np.linspace(0, 0.5, 8 if chosen.small else 40)

curves, runs, checks = {}, {}, {}
for layer in LAYERS:
    problem = tc.Problem("relu", "H1 + H2", phi="1/2", psi="2/3", ridge="1/10", first_layer=layer)
    curves[layer] = tc.step(problem, n=n, alpha=curve)
    runs[layer] = tc.simulate(problem, n=n, alpha=alphas, replicates=replicates, seed=0)
    comparison = tc.compare(runs[layer], tc.step(problem, n=n, alpha=alphas))
    for name in GAINS:
        checks[layer, name] = checks_of(comparison, name)

for name in GAINS:
    values = [np.reshape([row[name] for row in runs[layer].draws], (len(alphas), replicates)) for layer in LAYERS]
    differences = values[1] - values[0]  # the same seed: draw by draw
    expected = [
        gaussian.predicted - sphere.predicted
        for sphere, gaussian in zip(*(checks[x, name] for x in LAYERS), strict=True)
    ]
    errors = differences.std(axis=1, ddof=1) / replicates**0.5
    checks["difference", name] = [
        Check(f"α = {alpha:g}", *found, replicates)
        for alpha, *found in zip(alphas, differences.mean(axis=1), errors, expected, strict=True)
    ]

with house_style():
    figure, axes = panels(2, 2, width=7.0, height=4.2, sharex=True, height_ratios=(3, 2))
    for column, (name, label) in enumerate(GAINS.items()):
        above, below = axes[column], axes[2 + column]
        for i, layer in enumerate(LAYERS):
            above.plot(curve, getattr(curves[layer], name), color=COLOURS[i], ls=LINES[i], label=f"{layer}, theory")
            words = f"{layer}, simulated ± s.e."
            places = np.array(alphas) + (-0.004, 0.004)[i]
            draw_checks(above, places, checks[layer, name], fmt=MARKERS[i], color=COLOURS[i], label=words)
        expected = getattr(curves["gaussian"], name) - getattr(curves["sphere"], name)
        below.axhline(0, color=INK, lw=0.6)
        below.plot(curve, expected, color=COLOURS[2], label="gaussian − sphere, theory")
        words = "gaussian − sphere, simulated ± s.e."
        draw_checks(below, alphas, checks["difference", name], fmt=MARKERS[2], color=COLOURS[2], label=words)
        above.set(ylabel=label, ylim=(0, None))
        below.set(ylabel="gaussian − sphere", xlabel=r"α, exponent of the step $\eta = n^\alpha$")
    handles, _ = axes[0].get_legend_handles_labels()  # curves, then points: each pair is to be one column
    difference, _ = axes[2].get_legend_handles_labels()
    pairs = [*handles[::2], *handles[1::2], *difference]
    figure.legend(handles=pairs, loc="outside lower center", ncols=3)
tc.plots.save(figure, chosen.output / "first_layers.svg")

for kind in (*LAYERS, "difference"):
    for name, label in GAINS.items():
        print(f"{kind}\n{checks_table(checks[kind, name], label, 'theory')}\n")
for kind in (*LAYERS, "difference"):
    found = [check._replace(name=f"{check.name}, {name}") for name in GAINS for check in checks[kind, name]]
    print(f"{kind}: {verdict(found, 'its theory')}")
