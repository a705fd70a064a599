"""The spectrum against α: a larger step drives more eigenvalues out of the bulk.

Which eigenvalues of FFᵀ/n does a step drive out of the bulk, and where to? Above: those of simulated networks for a
few exponents α of the step η = n^α (grey histogram, per unit of ln z; ticks are eigenvalues beyond the bulk), the
predicted density of the bulk before the step (blue), its predicted edge after the step (dashed), which a large step
widens, and the predicted outliers (triangles). Below: the number of spikes, simulated with one standard error,
predicted at this n, and in the limit n → ∞ of each window. A spike counts if it is above the bulk and more than half of
its left singular vector is a function of the step direction. The table has the outliers that are clear of the bulk,
20 % above its edge after the step.

ReLU, which has c_3 = 0: in the limit the window ℓ = 3 adds no spike. Teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N
= 3n/4, step on the true residual. Full size: n = 600; small: n = 200, one step and fewer draws.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ttest_1samp

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (200, 4) if SMALL else (600, 16)
alphas = [0.45] if SMALL else [0.04, 0.1, 0.14, 0.18, 0.24, 0.3, 0.34, 0.38, 0.44]
shown = alphas if SMALL else [0.04, 0.18, 0.3, 0.44]
problem = tc.Problem("relu", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

theory = {alpha: tc.spectrum(problem, n=n, alpha=alpha) for alpha in alphas}
run = tc.simulate(problem, n=n, alpha=alphas, replicates=draws, seed=0, spectrum=True)
spectra = {alpha: [record["spectrum"] for record in run.records if record["alpha"] == alpha] for alpha in alphas}
edge = theory[alphas[0]].edges[-1][1]
predicted = [int(np.sum(found.alignments.sum(axis=1) > 0.5)) for found in theory.values()]
counts = np.array([[spectrum["spikes"] for spectrum in spectra[alpha]] for alpha in alphas])
means, errors = counts.mean(1), counts.std(1, ddof=1) / draws**0.5

with tc.plots.house_style():
    figure, axes = plt.subplot_mosaic([shown, ["count"] * len(shown)], figsize=(7.0, 5.0))
    bins = np.geomspace(0.02 * edge, 1.2 * edge, 25)
    z = np.geomspace(bins[0], edge, 200)
    for alpha in shown:
        axis, found = axes[alpha], theory[alpha]
        quantiles = np.concatenate([spectrum["quantiles"] for spectrum in spectra[alpha]])
        shares = np.histogram(quantiles, bins)[0] / len(quantiles) / np.diff(np.log(bins))
        outside = [value for spectrum in spectra[alpha] for value in spectrum["top"] if value > 1.05 * edge]
        axis.stairs(shares, bins, fill=True, color="#b9c4cf", label="simulated")
        axis.vlines(outside, 0, 0.008, color="gray", lw=0.9, label="simulated, beyond the bulk")
        axis.plot(z, z * found.density(z), "C0", label="bulk before the step, theory")
        axis.axvline(found.edge_after, color="C0", ls="--", lw=0.8, label="its edge after the step, theory")
        axis.plot(found.outliers, np.full(len(found.outliers), 0.016), "C1v", label="outliers, theory")
        axis.set(xscale="log", xlim=(bins[0], 400), ylim=(0, 0.22), xlabel="$z$", title=rf"$\alpha$ = {alpha:g}")
    axes[shown[0]].set_ylabel(r"density per unit of $\ln z$")
    below = axes["count"]
    for ell in range(1, 13):
        bounds = [float(bound) for bound in tc.window_bounds(ell)]
        below.axvspan(*bounds, color=("0.95", "0.88")[ell % 2], lw=0, zorder=0)
        spikes = len(tc.predict(problem, ell=ell).spikes)
        words = r"spikes in the limit $n \to \infty$" if ell == 1 else None
        below.plot(bounds, [spikes, spikes], "k", lw=2, label=words)
    below.plot(alphas, predicted, "C0_", ms=14, mew=1.6, label=f"spikes at $n$ = {n}, theory")
    below.errorbar(alphas, means, errors, fmt="C1o", label=f"spikes simulated, {draws} draws ± s.e.")
    below.set(xlabel=r"$\alpha$, exponent of the step $\eta = n^\alpha$; shades are windows", ylabel="number of spikes")
    below.set(xlim=(0, 0.5), ylim=(-0.2, 5.4), yticks=range(6))
    keys = [*axes[shown[0]].get_legend_handles_labels()[0], *below.get_legend_handles_labels()[0]]
    title = r"ReLU, teacher $H_1$ + $H_2/\sqrt{2}$, eigenvalues $z$ of $FF^{\!\top}\!/n$"
    figure.suptitle(title, fontsize="medium")
    figure.legend(handles=keys, loc="outside lower center", ncols=3)
    tc.plots.save(figure, "spectrum_against_alpha.svg")

print("outlier  α     simulated            theory   z")
p_values = []
for alpha, found in theory.items():
    for i in np.flatnonzero(found.outliers > 1.2 * found.edge_after):  # clear of the bulk
        tops = np.array([spectrum["top"][i] for spectrum in spectra[alpha]])
        test = ttest_1samp(tops, found.outliers[i])
        p_values.append(test.pvalue)
        observed = f"{tops.mean():8.4f} ± {tops.std(ddof=1) / draws**0.5:.4f}"
        print(f"{i + 1:7}  {alpha:<4g}  {observed:19}  {found.outliers[i]:7.4f}  {test.statistic:+.1f}")
print("\nspikes at α  simulated    theory")
for alpha, mean, error, expected in zip(alphas, means, errors, predicted, strict=True):
    print(f"{alpha:<11g}  {mean:.2f} ± {error:.2f}  {expected}")
differing = sum(p < 0.01 / len(p_values) for p in p_values)  # Bonferroni
print(f"\n{differing} of {len(p_values)} outliers differ from their predicted places at the 1 % level.")
