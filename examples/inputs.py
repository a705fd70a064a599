"""Inputs that are not Gaussian: uniform and Rademacher against the Gaussian theory.

The theory is for x ~ N(0, I). Does it need that? Networks with independent uniform or ±1 entries of variance 1 are
simulated beside Gaussian ones, and all are compared with the same curve, `tc.step` for Gaussian inputs. Points have one
standard error and are moved a little sideways so that they can be told apart. Left: test loss gained; right: training
loss gained.

tanh(x + 1), teacher H_1 + H_2/√2 with σ_ε = 1/2, d = n/2, N = 3n/4, λ = 1/10, step on the true residual; directions of
teacher and neurons are spread over all inputs. Full size: n = 600; small: n = 100, and fewer steps and draws.
"""

import numpy as np
from common import GAINS, checks_of, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, INK, MARKERS, house_style, panels

LAWS = ("gaussian", "uniform", "rademacher")

chosen = options(__doc__)
n, replicates = (100, 8) if chosen.small else (600, 24)
alphas = [0.1, 0.4] if chosen.small else [0, 0.1, 0.2, 0.3, 0.4, 0.5]
curve = np.linspace(0, 0.55, 8 if chosen.small else 40)
problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

theory = tc.step(problem, n=n, alpha=curve)
here = tc.step(problem, n=n, alpha=alphas)
comparisons = {
    law: tc.compare(tc.simulate(problem, n=n, alpha=alphas, replicates=replicates, seed=seed, input_law=law), here)
    for seed, law in enumerate(LAWS)
}

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for axis, (name, label) in zip(axes, GAINS.items(), strict=True):
        axis.plot(curve, getattr(theory, name), color=INK, label="theory, Gaussian inputs")
        for i, law in enumerate(LAWS):
            places = np.array(alphas) + 0.008 * (i - 1)
            draw_checks(axis, places, checks_of(comparisons[law], name), fmt=MARKERS[i], color=COLOURS[i], label=law)
        axis.set(xlabel=r"α, exponent of the step $\eta = n^\alpha$", ylabel=label, ylim=(0, None))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
tc.plots.save(figure, chosen.output / "inputs.svg")

for law, comparison in comparisons.items():
    everything = []
    for name, label in GAINS.items():
        checks = checks_of(comparison, name)
        print(f"{law} inputs, n = {n}\n{checks_table(checks, label, 'theory')}\n")
        everything += [check._replace(name=f"{check.name}, {name}") for check in checks]
    print(f"With {law} inputs: {verdict(everything, 'the theory for Gaussian ones')}\n")
