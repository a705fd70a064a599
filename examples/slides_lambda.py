"""The slides' Λ against the corrected one.

The slides print the test gain Λ_1 without the factor φ/(ψ m_1²), and Λ_2 − Λ_1 with only a part of it. Which form do
simulated features show?

**Figure.** Test gain against the ridge λ for one spike (left) and two (right): the corrected Λ_ℓ (solid), the form of
the slides (dashed), and simulated features with spikes so strong that the limit is reached (points, with one standard
error). The dotted line is the whole test loss before the step less the noise: no step can gain more, so wherever the
dashed curve is above it, the printed form cannot be right.

**Sizes.** Simulated: n = 1000, d = 500, N = 750, with 24 draws (`--small`: n = 200, 6 draws); spikes of the
equivalence theorem at the step η = 1000, added to the features of the untrained network. Activation H_1 + H_2/2 + 0.3
H_3, teacher H_1 + H_2/√2, noise of standard deviation 1/2, d/n = 1/2, d/N = 2/3.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

n, draws = (200, 6) if "--small" in sys.argv else (1000, 24)  # seconds instead of minutes
problem = tc.Problem("H1(x) + H2(x)/2 + 3*H3(x)/10", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
ridges = ["1/100", "1/30", "1/10", "3/10", "1", "3", "10", "30"]
curve = np.geomspace(0.005, 60, 200)

print("ℓ  λ      simulated Λ      corrected  z     slides    z      ceiling")
z, crossings = {"corrected": [], "slides": []}, []
with tc.plots.house_style():
    figure, panes = plt.subplots(1, 2, figsize=(7.0, 3.3), sharey=True)
    for ell, axes in enumerate(panes, start=1):
        surrogate = {"equivalent": "spiked", "ell": ell, "gradient": "labels"}
        run = tc.simulate(problem, n=n, eta=1000, ridge=ridges, replicates=draws, seed=ell, **surrogate)
        right, slides = (tc.predict(problem, ell=ell, ridge=curve, as_printed=printed) for printed in (False, True))
        ceiling = right.test_loss_initial - float(problem.noise) ** 2
        crossings.append(curve[slides.test_gain > ceiling].max())
        limits = [tc.predict(problem, ell=ell, as_printed=printed) for printed in (False, True)]
        rows = [row for row in tc.compare(run, limits).rows if row["quantity"] == "test_gain"]
        rows, printed = rows[: len(ridges)], rows[len(ridges) :]
        places, means, errors = ([row[key] for row in rows] for key in ("ridge", "observed", "standard_error"))
        axes.plot(curve, slides.test_gain, "C1--", label="as the slides print it")
        axes.plot(curve, right.test_gain, "C0", label="corrected")
        axes.plot(curve, ceiling, ":", color="gray", label="all there is to gain")
        axes.errorbar(places, means, errors, fmt="ko", ms=3, label=f"simulated, {draws} draws ± s.e.")
        axes.set(xscale="log", yscale="log", xlim=curve[[0, -1]], xlabel=r"$\lambda$, ridge (weight decay)")
        axes.set_title(rf"$\Lambda_{ell}$, the test gain of {('one spike', 'two spikes')[ell - 1]}")
        tops = tc.predict(problem, ell=0, ridge=places).test_loss - float(problem.noise) ** 2
        for row, other, top in zip(rows, printed, tops, strict=True):
            observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
            told = f"{row['predicted']:.4f}     {row['z']:+.1f}  {other['predicted']:<8.4f}  {other['z']:<+5.0f}"
            print(f"{ell}  {row['ridge']:<5.3g}  {observed}  {told}  {top:.4f}")
            z["corrected"].append(row["z"])
            z["slides"].append(other["z"])
    panes[0].set(ylabel="test loss gained", ylim=(0.08, 30))
    title = "activation $H_1$ + $H_2/2$ + $3H_3/10$, teacher $H_1$ + $H_2/\\sqrt{2}$"
    figure.suptitle(title, fontsize="medium")
    figure.legend(*panes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    tc.plots.save(figure, "slides_lambda.svg")

corrected, slides = (np.abs(values).max() for values in z.values())
print(
    f"\nThe corrected Λ is within {corrected:.1f} standard errors of every simulated gain (points of one ℓ share their "
    f"draws); the slides' is up to {slides:.0f} away, and it promises more than there is up to "
    f"λ = {crossings[0]:.3f} (ℓ = 1) and {crossings[1]:.3f} (ℓ = 2)."
)
