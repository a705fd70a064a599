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

import numpy as np
from common import Check, checks_table, draw_checks, options, table, verdict

import theorycalc as tc
from theorycalc.plots.figure import HouseFigure
from theorycalc.plots.style import COLOURS, INK, PALE, house_style
from theorycalc.plots.windows import SHOWN, shade_windows

chosen = options(__doc__)
n, replicates = (200, 4) if chosen.small else (600, 16)
alphas = [0.45] if chosen.small else [0.04, 0.1, 0.14, 0.18, 0.24, 0.3, 0.34, 0.38, 0.44]
shown = alphas if chosen.small else [0.04, 0.18, 0.3, 0.44]
problem = tc.Problem("relu", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

theory = {alpha: tc.spectrum(problem, n=n, alpha=alpha) for alpha in alphas}
run = tc.simulate(problem, n=n, alpha=alphas, replicates=replicates, seed=0, spectrum=True)
spectra = {alpha: [] for alpha in alphas}
for record in run.records:
    spectra[record["alpha"]].append(record["spectrum"])
edge = theory[alphas[0]].edges[-1][1]


def mean_and_error(values):
    return np.mean(values), np.std(values, ddof=1) / replicates**0.5


places = []  # of outliers that are clear of the bulk
for alpha, found in theory.items():
    clear = [i for i, place in enumerate(found.outliers) if place > 1.2 * found.edge_after]
    for i in clear:
        observed = mean_and_error([spectrum["top"][i] for spectrum in spectra[alpha]])
        places.append(Check(f"α = {alpha:g}, outlier {i + 1}", *observed, float(found.outliers[i]), replicates))
counts = [
    Check(f"α = {alpha:g}", *mean_and_error([spectrum["spikes"] for spectrum in spectra[alpha]]), predicted, replicates)
    for alpha, predicted in (
        (alpha, int(np.sum(found.alignments.sum(axis=1) > 0.5))) for alpha, found in theory.items()
    )
]
limits = {ell: len(tc.predict(problem, ell=ell).spikes) for ell in range(1, SHOWN + 1)}

with house_style():
    figure = HouseFigure(figsize=(7.0, 4.4))
    axes = figure.subplot_mosaic([shown, ["count"] * len(shown)])
    bins = np.geomspace(0.02 * edge, 1.2 * edge, 25)
    for alpha in shown:
        axis, found = axes[alpha], theory[alpha]
        quantiles = np.concatenate([spectrum["quantiles"] for spectrum in spectra[alpha]])
        shares = np.histogram(quantiles, bins)[0] / len(quantiles) / np.diff(np.log(bins))
        axis.stairs(shares, bins, fill=True, color="#b9c4cf")
        z = np.geomspace(bins[0], edge, 200)
        axis.plot(z, z * found.density(z), color=COLOURS[0])
        axis.axvline(found.edge_after, color=COLOURS[0], ls="--", lw=0.8)
        outside = [value for spectrum in spectra[alpha] for value in spectrum["top"] if value > 1.05 * edge]
        axis.vlines(outside, 0, 0.008, color=PALE, lw=0.9)
        axis.plot(found.outliers, np.full(len(found.outliers), 0.016), "v", color=COLOURS[1])
        axis.set(xscale="log", xlim=(bins[0], 400), ylim=(0, 0.22), xlabel="z", title=f"α = {alpha:g}")
    axes[shown[0]].set_ylabel("density per unit of ln z")
    axis = axes["count"]
    shade_windows(axis, named=True)
    for ell, count in limits.items():
        axis.plot(tc.window_bounds(ell), [count, count], color=INK, lw=2, label="limit n → ∞" if ell == 1 else None)
    axis.plot(
        alphas, [check.predicted for check in counts], "_", color=COLOURS[0], ms=14, mew=1.6, label=f"theory at n = {n}"
    )
    draw_checks(axis, alphas, counts, fmt="o", color=COLOURS[1], label=f"simulated, {replicates} draws ± s.e.")
    axis.set(xlabel=r"α, exponent of the step $\eta = n^\alpha$", ylabel="number of spikes")
    axis.set(xlim=(0, 0.5), ylim=(-0.2, 4.4), yticks=range(5))
    axis.legend(loc="upper left")
tc.plots.save(figure, chosen.output / "spectrum_against_alpha.svg")

print(checks_table(places, "eigenvalue", "theory at n"), "\n")
rows = [(x.name, f"{x.observed:.2f} ± {x.error:.2f}", str(x.predicted)) for x in counts]
print(table(("number of spikes", "simulated ± s.e.", "theory at n"), rows), "\n")
print(verdict(places, "their predicted places"))
