"""The network and its equivalents: losses from F, F_ℓ and Gaussian features.

How good are the equivalents of the theorems at a real size? They replace the features F of the trained network by
F_ℓ, the features before the step plus ℓ spikes, and these by Gaussian features with the same spikes. The spikes are
those printed in the paper, without the lengthening of the neurons. All are fitted on the same draws, at every
exponent α of the step: the network (points with one standard error), F_1, F_2 and F_3 (lines through the simulated
values), and the Gaussian equivalent with as many spikes as the window of α has, at most three (crosses). Shades and
numbers on top are the windows ℓ. Left: training loss, penalty included; right: test loss. The table has the
differences to the network at the ℓ of the crosses: they are paired, so common draws cancel most of the noise.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, step on the true residual. Full size: n
= 600; small: n = 100, and fewer steps and draws.
"""

import numpy as np
from common import Check, options, table, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, LINES, house_style, panels
from theorycalc.plots.windows import shade_windows

LOSSES = {"train_loss": "training loss, penalty included", "test_loss": "test loss"}
ELLS = (1, 2, 3)

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 12)
alphas = [0.1, 0.3, 0.43] if chosen.small else [0.06, 0.13, 0.2, 0.27, 0.31, 0.35, 0.39, 0.43, 0.47]
spikes = {alpha: min(tc.window(alpha), max(ELLS)) for alpha in alphas}
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

losses = {}  # of (loss, α, model, ℓ): one for each draw; the seed is the same, so all are of the same draws
models = ["network", "spiked", "gaussian"]
for ell in ELLS:
    run = tc.simulate(problem, n=n, alpha=alphas, replicates=replicates, seed=0, equivalent=models, ell=ell)
    for row in run.draws:
        for name in LOSSES:
            losses.setdefault((name, row["alpha"], row["model"], ell), []).append(row[name])


def mean_and_error(values):
    return np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5


with house_style():
    figure, axes = panels(1, 2, width=7.0, height=3.0)
    for axis, (name, label) in zip(axes, LOSSES.items(), strict=True):
        shade_windows(axis, named=True)
        for ell in ELLS:
            line = [np.mean(losses[name, alpha, "spiked", ell]) for alpha in alphas]
            axis.plot(alphas, line, color=COLOURS[ell - 1], ls=LINES[ell - 1], label=f"$F_{ell}$")
        crosses = [np.mean(losses[name, alpha, "gaussian", spikes[alpha]]) for alpha in alphas]
        axis.plot(alphas, crosses, "x", color=COLOURS[3], mew=1.4, zorder=7, label="Gaussian equivalent")
        networks = [mean_and_error(losses[name, alpha, "network", spikes[alpha]]) for alpha in alphas]
        axis.errorbar(alphas, *zip(*networks, strict=True), fmt="o", color=INK, elinewidth=0.9, label="network, $F$")
        axis.set(xlabel=r"α, exponent of the step $\eta = n^\alpha$", ylabel=label, xlim=(0, 0.5))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
tc.plots.save(figure, chosen.output / "equivalents.svg")

checks = {"spiked": [], "gaussian": []}
for name, label in LOSSES.items():
    rows = []
    for alpha, ell in spikes.items():
        network = np.array(losses[name, alpha, "network", ell])
        cells = [f"α = {alpha:g}", str(ell), "{:.4f} ± {:.4f}".format(*mean_and_error(network))]
        for model, found in checks.items():
            check = Check(
                f"α = {alpha:g}, {label}", *mean_and_error(losses[name, alpha, model, ell] - network), 0, len(network)
            )
            found.append(check)
            cells += [f"{check.observed:+.4f} ± {check.error:.4f}", f"{check.z:+.1f}"]
        rows.append(cells)
    print(table((label, "ℓ", "network, F", "F_ℓ − F", "z", "Gaussian − F", "z"), rows), "\n")
print(f"{replicates} draws at n = {n}.")
print("F_ℓ:", verdict(checks["spiked"], "the network"))
print("Gaussian equivalent:", verdict(checks["gaussian"], "the network"))
last = alphas[-1]
beyond = losses["test_loss", last, "spiked", 1] - np.array(losses["test_loss", last, "network", spikes[last]])
print(
    "Beyond its window F_1 misses what the other spikes gain: at α = {:g} its test loss is {:+.4f} ± {:.4f} from the "
    "network's.".format(last, *mean_and_error(beyond))
)
