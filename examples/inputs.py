"""Inputs that are not Gaussian: uniform and Rademacher against the Gaussian theory.

The theory is for x ~ N(0, I). Does it need that? Networks with independent uniform or ±1 entries of variance 1 are
simulated beside Gaussian ones, and all are compared with the same curve, `tc.step` for Gaussian inputs. Points have one
standard error and are moved a little sideways so that they can be told apart. Left: test loss gained; right: training
loss gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, step on the true residual; directions of
teacher and neurons are spread over all inputs. Full size: n = 600; small: n = 100, and fewer steps and draws.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

SMALL = "--small" in sys.argv  # seconds instead of minutes
n, draws = (100, 8) if SMALL else (600, 24)
alphas = [0.1, 0.4] if SMALL else [0, 0.1, 0.2, 0.3, 0.4, 0.5]
curve = np.linspace(0, 0.55, 8 if SMALL else 40)
LAWS = ("gaussian", "uniform", "rademacher")
GAINS = {"test_gain": r"test loss gained, $\Lambda$", "train_gain": r"training loss gained, $\Delta$"}
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

theory = tc.step(problem, n=n, alpha=curve)
here = tc.step(problem, n=n, alpha=alphas)
comparisons = {
    law: tc.compare(tc.simulate(problem, n=n, alpha=alphas, replicates=draws, seed=seed, input_law=law), here)
    for seed, law in enumerate(LAWS)
}

with tc.plots.house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2))
    for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
        axis.plot(curve, getattr(theory, name), "k", label="theory, Gaussian inputs")
        for i, (law, comparison) in enumerate(comparisons.items()):
            rows = [row for row in comparison.rows if row["quantity"] == name]
            means, errors = ([row[key] for row in rows] for key in ("observed", "standard_error"))
            places = np.array(alphas) + 0.008 * (i - 1)
            axis.errorbar(places, means, errors, fmt=f"C{i}{'osD'[i]}", label=f"{law}, simulated ± s.e.")
        axis.set(xlabel=r"$\alpha$, exponent of the step $\eta = n^\alpha$", ylabel=label, ylim=(0, None))
    title = rf"tanh($x$ + 1), teacher $H_1$ + $H_2/\sqrt{{2}}$, $n$ = {n}, {draws} draws"
    figure.suptitle(title, fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    tc.plots.save(figure, "inputs.svg")

print("inputs      quantity    α    simulated        theory  z")
for law, comparison in comparisons.items():
    for row in comparison.judged:
        observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
        words = f"{law:10}  {row['quantity']:10}  {row['alpha']:<3g}"
        print(f"{words}  {observed}  {row['predicted']:.4f}  {row['z']:+.1f}")
for law, comparison in comparisons.items():
    print(f"\nWith {law} inputs: {comparison.verdict_text}")
