"""The optimal ridge.

How should the ridge λ be chosen after a large step, and is it still the ridge that was best before the step?

**Figure.** Test loss against λ: before the step (dashed), after it in the theorem's limit (dotted) and for a network of
real size (solid), with a mark at the lowest point of each. The points are simulated networks of that size, with one
standard error.

**Sizes.** n = 1000, d = 500, N = 750, step n^α with α = 0.3, 20 draws (`--small`: n = 200, 6 draws). Activation
tanh(x + 1), teacher H_1 + H_2/√2, noise of standard deviation 1/2, and the literal network, whose initial output is not
neglected.
"""

import numpy as np
from common import options

import theorycalc as tc
from theorycalc.plots.style import COLOURS, LINES, MARKERS, house_style, panels
from theorycalc.results.table import aligned

chosen = options(__doc__)
n, draws = (200, 6) if chosen.small else (1000, 20)
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
fine, ridges = np.geomspace(0.003, 30, 10_001), np.geomspace(0.003, 30, 31 if chosen.small else 101)
before = tc.predict(problem, ell=0, ridge=fine).test_loss
limit = tc.predict(problem, alpha="0.3", ridge=fine).test_loss
network = tc.step(problem, n=n, alpha="0.3", ridge=ridges).test_loss
best = tc.best_ridge(problem, n=n, alpha="0.3")
lowest = {
    "before the step": (fine[np.argmin(before)], before.min()),
    "after it, theorem's limit": (fine[np.argmin(limit)], limit.min()),
    f"after it, n = {n}": (best.ridge, best.test_loss),
}
run = tc.simulate(problem, n=n, alpha=0.3, ridge=list(np.geomspace(0.01, 10, 7)), replicates=draws, seed=0)

with house_style():
    figure, (axes,) = panels(height=2.6)
    curves = ((fine, before, LINES[1]), (fine, limit, LINES[2]), (ridges, network, LINES[0]))
    for i, (name, (places, losses, line)) in enumerate(zip(lowest, curves, strict=True)):
        axes.plot(places, losses, color=COLOURS[i], ls=line, label=name)
        axes.plot(*lowest[name], "*", color=COLOURS[i], ms=8)
    points = run.rows
    axes.errorbar(
        [point["ridge"] for point in points],
        [point["test_loss"] for point in points],
        [point["test_loss_se"] for point in points],
        fmt=MARKERS[0],
        color="#1a1a1a",
        ms=3,
        label=f"simulated, {draws} draws ± s.e.",
    )
    axes.set(xscale="log", xlabel="λ, ridge", ylabel="test loss", xlim=(ridges[0], ridges[-1]))
    axes.set_ylim(0.9 * limit.min(), 1.05 * before.max())
    axes.legend(loc="upper right")
tc.plots.save(figure, chosen.output / "optimal_ridge.svg")

print(aligned([["curve", "best λ", "test loss"], *([k, f"{x:.3f}", f"{y:.4f}"] for k, (x, y) in lowest.items())]))
rows = [["λ", "simulated test loss", f"theory, n = {n}", "z"]]
theory = tc.step(problem, n=n, alpha="0.3", ridge=[point["ridge"] for point in points]).test_loss
z = [(point["test_loss"] - loss) / point["test_loss_se"] for point, loss in zip(points, theory, strict=True)]
for point, loss, score in zip(points, theory, z, strict=True):
    shown = f"{point['test_loss']:.4f} ± {point['test_loss_se']:.4f}"
    rows.append([f"{point['ridge']:.3f}", shown, f"{loss:.4f}", f"{score:+.1f}"])
print("\n" + aligned(rows))
first = tc.step(problem, n=n, alpha="0.3", ridge=lowest["before the step"][0]).test_loss
print(
    f"\nWith the ridge that was best before the step, the network's test loss would be {first:.4f}; a new choice "
    f"gives {best.test_loss:.4f}. Theory is within {np.abs(z).max():.1f} standard errors of the simulated losses, "
    "which share their draws."
)
