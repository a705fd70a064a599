"""The optimal ridge.

How should the ridge λ be chosen after a large step, and is it still the ridge that was best before the step?

**Figure.** Test loss against λ: before the step (dashed), after it in the theorem's limit (dotted) and for a network of
real size (solid), with a star at the lowest point of each. The points are simulated networks of that size, with one
standard error.

**Sizes.** n = 1000, d = 500, N = 750, step n^α with α = 0.3, 20 draws (`--small`: n = 200, 6 draws). Activation
tanh(x + 1), teacher H_1 + H_2/√2, noise of standard deviation 1/2, and the literal network, whose initial output is not
neglected.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (200, 6) if SMALL else (1000, 20)
STEP = {"n": n, "alpha": "0.3"}
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

fine, ridges = np.geomspace(0.003, 30, 10_001), np.geomspace(0.003, 30, 31 if SMALL else 101)
before = tc.predict(problem, ell=0, ridge=fine).test_loss
limit = tc.predict(problem, alpha="0.3", ridge=fine).test_loss
network = tc.step(problem, **STEP, ridge=ridges).test_loss
best = tc.best_ridge(problem, **STEP)
curves = {  # with the best λ and the test loss there
    "before the step": (fine, before, fine[np.argmin(before)], before.min()),
    "after it, theorem's limit": (fine, limit, fine[np.argmin(limit)], limit.min()),
    f"after it, n = {n}": (ridges, network, best.ridge, best.test_loss),
}
run = tc.simulate(problem, **STEP, ridge=list(np.geomspace(0.01, 10, 7)), replicates=draws, seed=0)
points = [row for row in tc.compare(run).rows if row["quantity"] == "test_loss"]

with tc.plots.house_style():
    figure, axes = plt.subplots(figsize=(4.6, 3.4))
    for i, (name, (places, losses, *lowest)) in enumerate(curves.items()):
        axes.plot(places, losses, f"C{i}", ls=("--", ":", "-")[i], label=name.replace("n =", "$n$ ="))
        axes.plot(*lowest, f"C{i}*", ms=8)
    where, means, errors = ([row[key] for row in points] for key in ("ridge", "observed", "standard_error"))
    axes.errorbar(where, means, errors, fmt="ko", ms=3, label=f"simulated, {draws} draws ± s.e.")
    axes.set(xscale="log", xlabel=r"$\lambda$, ridge (weight decay)", ylabel="test loss", xlim=ridges[[0, -1]])
    axes.set_ylim(0.9 * limit.min(), 1.05 * before.max())
    axes.set_title(r"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{2}$, step $\eta = n^{0.3}$")
    figure.legend(loc="outside lower center", ncols=2)
    tc.plots.save(figure, "optimal_ridge.svg")

print("curve                      best λ  test loss")
for name, (_, _, place, loss) in curves.items():
    print(f"{name:25}  {place:<6.3f}  {loss:.4f}")
print(f"\nλ       simulated test loss  theory, n = {n}  z")
for row in points:
    observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
    print(f"{row['ridge']:<6.3f}  {observed}      {row['predicted']:.4f}            {row['z']:+.1f}")
first = tc.step(problem, **STEP, ridge=curves["before the step"][2]).test_loss
print(
    f"\nWith the ridge that was best before the step, the network's test loss would be {first:.4f}; a new choice gives "
    f"{best.test_loss:.4f}. Theory is within {max(abs(row['z']) for row in points):.1f} standard errors of the "
    "simulated losses, which share their draws."
)
