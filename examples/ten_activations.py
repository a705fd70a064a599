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

import numpy as np
from common import options

import theorycalc as tc
from theorycalc.plots.style import COLOURS, MARKERS, TEST, TRAIN, house_style, panels
from theorycalc.results.table import aligned

ACTIVATIONS = ("relu", "gelu", "silu", "mish", "elu", "softplus", "tanh(x + 1)", "tanh", "erf", "sigmoid")
SHARE = 0.1  # the common ridge, in units of Var σ
ELL = 3
chosen = options(__doc__)
shares = np.geomspace(1e-3, 1e3, 601 if chosen.small else 60_001)

found = []
for name in ACTIVATIONS:
    activation = tc.activation(name)
    variance = float(activation.c1) ** 2 + float(activation.c_rest) ** 2
    problem = tc.Problem(activation, "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge=SHARE * variance, noise="1/2")
    common = tc.predict(problem, ell=ELL)
    losses = tc.predict(problem, ell=ELL, ridge=shares * variance).test_loss
    best = int(np.argmin(losses))
    found.append((name, common, shares[best], losses[best]))
found.sort(key=lambda row: row[1].test_gain)

with house_style():
    figure, (gains, after) = panels(columns=2, height=2.9, width=6.8, sharey=True)
    for height, (_, common, _, lowest) in enumerate(found):
        gains.plot([common.train_gain, common.test_gain], [height, height], color="#c8c8c8", lw=0.8, zorder=0)
        gains.plot(common.train_gain, height, MARKERS[TRAIN], color=COLOURS[TRAIN])
        gains.plot(common.test_gain, height, MARKERS[TEST], color=COLOURS[TEST])
        after.plot([common.test_loss, lowest], [height, height], color="#c8c8c8", lw=0.8, zorder=0)
        after.plot(common.test_loss, height, MARKERS[TEST], color=COLOURS[TEST], mfc="white")
        after.plot(lowest, height, MARKERS[TEST], color=COLOURS[TEST])
    labels = [f"{name}  {{{','.join(map(str, common.spikes))}}}" for name, common, *_ in found]
    gains.set_yticks(range(len(found)), labels)
    gains.plot([], [], MARKERS[TRAIN], color=COLOURS[TRAIN], label=r"training, $\Delta_3$")
    gains.plot([], [], MARKERS[TEST], color=COLOURS[TEST], label=r"test, $\Lambda_3$")
    after.plot([], [], MARKERS[TEST], color=COLOURS[TEST], mfc="white", label=rf"$\lambda = {SHARE}\,$Var σ")
    after.plot([], [], MARKERS[TEST], color=COLOURS[TEST], label="best λ of each")
    gains.set(xlabel="loss gained", xlim=(0, None))
    after.set(xlabel="test loss after the step")
    for axes in (gains, after):
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, handletextpad=0.1, columnspacing=1, borderpad=0)
tc.plots.save(figure, chosen.output / "ten_activations.svg")

rows = [["activation", "K", "Δ_3", "Λ_3", "test loss", "best λ/Var σ", "test loss there"]]
for name, common, share, lowest in reversed(found):
    spikes = ",".join(map(str, common.spikes))
    gained = [f"{value:.4f}" for value in (common.train_gain, common.test_gain, common.test_loss)]
    rows.append([name, spikes, *gained, f"{share:.2f}", f"{lowest:.4f}"])
print(aligned(rows))
winner = min(found, key=lambda row: row[3])
print(
    f"\n{found[-1][0]} gains most at the common ridge; with the best ridge of each, {winner[0]} has the lowest test "
    f"loss, {winner[3]:.4f}, and {max(found, key=lambda row: row[3])[0]} the highest."
)
