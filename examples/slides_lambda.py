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

import numpy as np
from common import options

import theorycalc as tc
from theorycalc.plots.style import COLOURS, LINES, MARKERS, PALE, house_style, panels
from theorycalc.results.table import aligned

chosen = options(__doc__)
n, draws = (200, 6) if chosen.small else (1000, 24)
problem = tc.Problem("H1(x) + H2(x)/2 + 3*H3(x)/10", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
ridges = ["1/100", "1/30", "1/10", "3/10", "1", "3", "10", "30"]
curve = np.geomspace(0.005, 60, 200)

rows = [["ℓ", "λ", "simulated Λ", "corrected", "z", "slides", "z", "ceiling"]]
corrected_z, slides_z, crossings = [], [], []
with house_style():
    figure, panes = panels(columns=2, height=2.5, width=6.8, sharey=True)
    for ell, axes in enumerate(panes, start=1):
        surrogate = {"equivalent": "spiked", "ell": ell, "gradient": "labels"}
        run = tc.simulate(problem, n=n, eta=1000, ridge=ridges, replicates=draws, seed=ell, **surrogate)
        right, slides = (tc.predict(problem, ell=ell, ridge=curve, as_printed=printed) for printed in (False, True))
        ceiling = right.test_loss_initial - float(problem.noise) ** 2
        axes.plot(curve, slides.test_gain, color=COLOURS[1], ls=LINES[1], label="as the slides print it")
        axes.plot(curve, right.test_gain, color=COLOURS[0], label="corrected")
        axes.plot(curve, ceiling, color=PALE, ls=LINES[2], label="all there is to gain")
        points = run.rows
        axes.errorbar(
            [point["ridge"] for point in points],
            [point["test_gain"] for point in points],
            [point["test_gain_se"] for point in points],
            fmt=MARKERS[0],
            color="#1a1a1a",
            ms=3,
            label=f"simulated, {draws} draws ± s.e.",
        )
        axes.set(xscale="log", yscale="log", xlabel="λ, ridge", title=rf"$\Lambda_{ell}$", xlim=(curve[0], curve[-1]))
        crossings.append(curve[slides.test_gain > ceiling].max())
        for point in points:
            theory, printed = (
                tc.predict(run.problem, ell=ell, ridge=point["ridge"], as_printed=flag) for flag in (False, True)
            )
            z = [(point["test_gain"] - p.test_gain) / point["test_gain_se"] for p in (theory, printed)]
            corrected_z.append(z[0])
            slides_z.append(z[1])
            observed = f"{point['test_gain']:.4f} ± {point['test_gain_se']:.4f}"
            told = [f"{theory.test_gain:.4f}", f"{z[0]:+.1f}", f"{printed.test_gain:.4f}", f"{z[1]:+.0f}"]
            most = theory.test_loss_initial - float(problem.noise) ** 2
            rows.append([str(ell), f"{point['ridge']:.3g}", observed, *told, f"{most:.4f}"])
    panes[0].set(ylabel="test loss gained", ylim=(0.08, 30))
    panes[1].legend(loc="upper right")
tc.plots.save(figure, chosen.output / "slides_lambda.svg")

print(aligned(rows))
print(
    f"\nThe corrected Λ is within {np.abs(corrected_z).max():.1f} standard errors of every simulated gain (points of "
    f"one ℓ share their draws); the slides' is up to {np.abs(slides_z).max():.0f} away, and it promises more than "
    f"there is up to λ = {crossings[0]:.3f} (ℓ = 1) and {crossings[1]:.3f} (ℓ = 2)."
)
