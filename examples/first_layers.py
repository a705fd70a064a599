"""The first layer: rows on the sphere against Gaussian rows.

Does the law of the first layer matter? The paper draws the rows of W₀ from the unit sphere, the slides from N(0,
I/d). Gaussian rows differ in length, which, if c_2 ≠ 0, makes a constant feature and changes the gain of the quadratic
spike. Above: the gains of both, theory at n and simulated networks; below: the additional gain of Gaussian rows. These
differences are paired, since both networks have the same directions, data and second layer. Error bars are one
standard error; points above are moved a little sideways. Left: test loss gained; right: training loss gained.

ReLU (c_2 ≠ 0), teacher H_1 + H_2 without noise, d = n/2, N = 3n/4, λ = 1/10, step on the true residual. Full size: n
= 600; small: n = 100, and fewer steps and draws.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ttest_1samp

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (100, 8) if SMALL else (600, 32)
alphas = [0.2, 0.4] if SMALL else [0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
curve = np.linspace(0, 0.5, 8 if SMALL else 40)
LAYERS = ("sphere", "gaussian")
GAINS = {"test_gain": r"test loss gained, $\Lambda$", "train_gain": r"training loss gained, $\Delta$"}

curves, gains, comparisons = {}, {}, {}
for layer in LAYERS:
    problem = tc.Problem("relu", "H1 + H2", phi="1/2", psi="2/3", ridge="1/10", first_layer=layer)
    run = tc.simulate(problem, n=n, alpha=alphas, replicates=draws, seed=0)  # the same seed: the same draws
    curves[layer], comparisons[layer] = tc.step(problem, n=n, alpha=curve), tc.compare(run)
    for name in GAINS:
        gains[layer, name] = np.reshape([row[name] for row in run.draws], (len(alphas), draws))


def rows(layer, name):
    return [row for row in comparisons[layer].rows if row["quantity"] == name]


print("quantity    α     sphere           theory  gaussian         theory  gaussian − sphere  theory  z")
differing = 0
with tc.plots.house_style():
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 4.8), sharex=True, height_ratios=(3, 2))
    for (above, below), (name, label) in zip(axes.T, GAINS.items(), strict=True):
        for i, layer in enumerate(LAYERS):
            above.plot(curve, getattr(curves[layer], name), f"C{i}{'-:'[i]}", label=f"{layer}, theory")
            means, errors = gains[layer, name].mean(1), gains[layer, name].std(1, ddof=1) / draws**0.5
            places = np.array(alphas) + (-0.004, 0.004)[i]
            above.errorbar(places, means, errors, fmt=f"C{i}{'os'[i]}", label=f"{layer}, simulated ± s.e.")
        difference = gains["gaussian", name] - gains["sphere", name]
        means, errors = difference.mean(1), difference.std(1, ddof=1) / draws**0.5
        expected = getattr(curves["gaussian"], name) - getattr(curves["sphere"], name)
        below.axhline(0, color="black", lw=0.6)
        below.plot(curve, expected, "C2", label="gaussian − sphere, theory")
        below.errorbar(alphas, means, errors, fmt="C2D", label="gaussian − sphere, simulated ± s.e.")
        above.set(ylabel=label, ylim=(0, None))
        below.set(ylabel="gaussian − sphere", xlabel=r"$\alpha$, exponent of the step $\eta = n^\alpha$")
        for i, (one, other) in enumerate(zip(rows("sphere", name), rows("gaussian", name), strict=True)):
            shown = [f"{x['observed']:.4f} ± {x['standard_error']:.4f}  {x['predicted']:.4f}" for x in (one, other)]
            expected = other["predicted"] - one["predicted"]
            test = ttest_1samp(difference[i], expected)  # of the differences draw by draw
            differing += test.pvalue < 0.01 / (2 * len(alphas))  # Bonferroni
            told = f"{means[i]:+.4f} ± {errors[i]:.4f}    {expected:.4f}  {test.statistic:+.1f}"
            print(f"{name:10}  {alphas[i]:<4g}  {shown[0]}  {shown[1]}  {told}")
    handles = [line for axis in axes[:, 0] for line in axis.get_legend_handles_labels()[0]]
    figure.suptitle(f"ReLU, teacher $H_1$ + $H_2$, $n$ = {n}, {draws} draws", fontsize="medium")
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    tc.plots.save(figure, "first_layers.svg")

for layer, comparison in comparisons.items():
    print(f"\n{layer}: {comparison.verdict_text}")
print(f"\n{differing} of {2 * len(alphas)} differences of the two layers differ from theory at the 1 % level.")
