"""The network and its equivalents: losses from F, F_ℓ and Gaussian features.

How good are the equivalents of the theorems at a real size? They replace the features F of the trained network by
F_ℓ, the features before the step plus ℓ spikes, and these by Gaussian features with the same spikes. The spikes are
those printed in the paper, without the lengthening of the neurons. All are fitted on the same draws, at every
exponent α of the step: the network (points with one standard error), F_1, F_2 and F_3 (lines through the simulated
values), and the Gaussian equivalent with as many spikes as the window of α has, at most three (crosses). The shade
changes from window to window. Left: training loss, penalty included; right: test loss. The table has the differences to
the network at the ℓ of the crosses: they are paired, so common draws cancel most of the noise.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, step on the true residual. Full size: n
= 600; small: n = 100, and fewer steps and draws.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ttest_rel

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (100, 8) if SMALL else (600, 12)
alphas = [0.1, 0.3, 0.43] if SMALL else [0.06, 0.13, 0.2, 0.27, 0.31, 0.35, 0.39, 0.43, 0.47]
ELLS = (1, 2, 3)
LOSSES = {"train_loss": "training loss, penalty included", "test_loss": "test loss"}
MODELS = {"network": "network, $F$", "spiked": "F_ℓ", "gaussian": "Gaussian equivalent"}
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

spikes = {alpha: min(tc.window(alpha), max(ELLS)) for alpha in alphas}
losses = {}  # of (loss, α, model, ℓ): one for each draw; the seed is the same, so all are of the same draws
for ell in ELLS:
    run = tc.simulate(problem, n=n, alpha=alphas, replicates=draws, seed=0, equivalent=list(MODELS), ell=ell)
    for row in run.draws:
        for name in LOSSES:
            losses.setdefault((name, row["alpha"], row["model"], ell), []).append(row[name])


def mean_and_error(values):
    return np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5


with tc.plots.house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2))
    for axis, (name, label) in zip(axes, LOSSES.items(), strict=True):
        for ell in range(1, 13, 2):
            axis.axvspan(*map(float, tc.window_bounds(ell)), color="0.9", lw=0, zorder=0)
        for ell, line in zip(ELLS, ("-", "--", ":"), strict=True):
            heights = [np.mean(losses[name, alpha, "spiked", ell]) for alpha in alphas]
            axis.plot(alphas, heights, f"C{ell - 1}", ls=line, label=f"$F_{ell}$")
        crosses = [np.mean(losses[name, alpha, "gaussian", spikes[alpha]]) for alpha in alphas]
        axis.plot(alphas, crosses, "C3x", zorder=7, label="Gaussian equivalent")
        networks = [mean_and_error(losses[name, alpha, "network", spikes[alpha]]) for alpha in alphas]
        axis.errorbar(alphas, *zip(*networks, strict=True), fmt="ko", label=f"network, $F$, {draws} draws ± s.e.")
        axis.set(xlabel=r"$\alpha$, exponent of the step $\eta = n^\alpha$", ylabel=label, xlim=(0, 0.5))
    figure.suptitle(rf"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{{2}}$, $n$ = {n}", fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    tc.plots.save(figure, "equivalents.svg")

differing = {"spiked": 0, "gaussian": 0}
for name, label in LOSSES.items():
    print(f"{label}, {draws} draws at n = {n}\nα     ℓ  network, F       F_ℓ − F            z     Gaussian − F       z")
    for alpha, ell in spikes.items():
        network = np.array(losses[name, alpha, "network", ell])
        cells = [f"{alpha:<4g}  {ell}", "{:.4f} ± {:.4f}".format(*mean_and_error(network))]
        for model in differing:
            test = ttest_rel(losses[name, alpha, model, ell], network)  # a paired t-test
            difference = mean_and_error(losses[name, alpha, model, ell] - network)
            cells += ["{:+.4f} ± {:.4f}".format(*difference), f"{test.statistic:+.1f}"]
            differing[model] += test.pvalue < 0.01 / (2 * len(alphas))  # Bonferroni
        print("  ".join(cells))
    print()
for model, count in differing.items():
    print(f"{MODELS[model]}: {count} of {2 * len(alphas)} losses differ from the network's at the 1 % level.")
last = alphas[-1]
beyond = losses["test_loss", last, "spiked", 1] - np.array(losses["test_loss", last, "network", spikes[last]])
print(
    "Beyond its window F_1 misses what the other spikes gain: at α = {:g} its test loss is {:+.4f} ± {:.4f} from the "
    "network's.".format(last, *mean_and_error(beyond))
)
