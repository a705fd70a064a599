"""Predicted gains of ten activations.

One large step on the first layer: which activation gains most from it?

All ten learn the same noisy cubic teacher, H_1 + H_2/2 + H_3/6, with a step in the third window (ℓ = 3), and the
ridge is the same share of each activation's variance, λ = 0.1 Var σ, so that only its shape counts, not its scale.

**Figure.** Left: the training gain Δ_3 (squares) and the test gain Λ_3 (circles) in the limit as printed in the
paper, sorted by Λ_3; the powers of the step's direction that become visible (the spikes K) stand beside the name.
Right: the test loss after the step with the common ridge 0.1 Var σ (hollow), and with each activation's best ridge
(full).

**Sizes.** The limit n, d, N → ∞ with d/n = 1/2 and d/N = 2/3; noise of standard deviation 1/2.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

ACTIVATIONS = ("relu", "gelu", "silu", "mish", "elu", "softplus", "tanh(x + 1)", "tanh", "erf", "sigmoid")
SHARE = 0.1  # the common ridge, in units of Var σ
shares = np.geomspace(1e-3, 1e3, 601 if "--small" in sys.argv else 60_001)

found = []
for name in ACTIVATIONS:
    activation = tc.activation(name)
    variance = float(activation.c1) ** 2 + float(activation.c_rest) ** 2
    problem = tc.Problem(activation, "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge=SHARE * variance, noise="1/2")
    common = tc.predict(problem, ell=3)
    losses = tc.predict(problem, ell=3, ridge=shares * variance).test_loss
    best = int(np.argmin(losses))
    found.append((name, common, shares[best], losses[best]))
found.sort(key=lambda row: row[1].test_gain)

with tc.plots.house_style():
    figure, (gains, after) = plt.subplots(1, 2, figsize=(7.0, 3.6), sharey=True)
    rows = range(len(found))
    training, test, common = np.transpose([(p.train_gain, p.test_gain, p.test_loss) for _, p, *_ in found])
    lowest = [loss for *_, loss in found]
    gains.hlines(rows, training, test, color="0.8", lw=0.8, zorder=0)
    gains.plot(training, rows, "C1s", label=r"training loss gained, $\Delta_3$")
    gains.plot(test, rows, "C0o", label=r"test loss gained, $\Lambda_3$")
    after.hlines(rows, lowest, common, color="0.8", lw=0.8, zorder=0)
    after.plot(common, rows, "C0o", mfc="white", label=rf"$\lambda = {SHARE}\,\mathrm{{Var}}\,\sigma$")
    after.plot(lowest, rows, "C0o", label=r"best $\lambda$ of each")
    gains.set_yticks(rows, [f"{name}  {{{','.join(map(str, p.spikes))}}}" for name, p, *_ in found])
    gains.set(xlabel="loss gained", xlim=(0, None))
    after.set(xlabel="test loss after the step")
    title = r"teacher $H_1$ + $H_2/2$ + $H_3/6$, limit $n \to \infty$, $\ell$ = 3; {powers of the step seen}"
    figure.suptitle(title, fontsize="medium")
    keys = [key for axes in (gains, after) for key in axes.get_legend_handles_labels()[0]]
    figure.legend(handles=keys, loc="outside lower center", ncols=4)
    tc.plots.save(figure, "ten_activations.svg")

print("activation   K      Δ_3     Λ_3     test loss  best λ/Var σ  test loss there")
for name, p, share, loss in reversed(found):
    spikes = ",".join(map(str, p.spikes))
    gained = f"{p.train_gain:.4f}  {p.test_gain:.4f}  {p.test_loss:.4f}"
    print(f"{name:11}  {spikes:5}  {gained}     {share:<12.2f}  {loss:.4f}")
winner, loser = (choose(found, key=lambda row: row[3]) for choose in (min, max))
print(
    f"\n{found[-1][0]} gains most at the common ridge; with the best ridge of each, {winner[0]} has the lowest test "
    f"loss, {winner[3]:.4f}, and {loser[0]} the highest."
)
