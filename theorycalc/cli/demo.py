"""``theorycalc demo``: a network of real size, and the staircase of limits."""

from __future__ import annotations

from dataclasses import replace

import theorycalc as tc
from theorycalc.cli.declare import command
from theorycalc.cli.options import Arguments

_NETWORK = """\
A ReLU network of 600 neurons, with PyTorch's layers, learns sin(x) along a hidden direction of 300 inputs, from 900
samples (noise 0.1). Its first layer takes one step of SGD(lr=5) on MSELoss(), then ridge (λ = 0.1) refits its output:

  test loss      {found.test_loss_initial:.3f} before the step, {found.test_loss:.3f} after it
  training loss  {found.train_error_initial:.3f} before the step, {found.train_error:.3f} after it
  one run differs from these by about {found.spread.test_loss:.3f} in test
"""
_STAIRCASE = """\
What one gradient step of size n^α teaches a ReLU network, in the limit of large n.
Teacher H_1 + H_2/2 + H_3/6 + H_4/24, noise σ_ε = 1/2, d/n = 1/2, d/N = 2/3, ridge λ = 1/10.
Window ℓ is (ℓ−1)/(2ℓ) < α < ℓ/(2ℓ+2); ReLU has c_3 = c_5 = 0, so only the powers in K appear.

{table}

{which}.
Test loss before the step {before:.6f}; the noise alone is {noise:.6f}.
The ceiling ℓ = ∞, which no window reaches: Λ = {ceiling:.6f}.
The last Λ with 30 proven digits: {proven}
"""


@command(
    "demo",
    "Predict a network of real size, then the staircase of limits for ReLU with the proven digits of its last step.",
    "  theorycalc demo\n",
    spends=False,
)
def _demo(options: Arguments) -> str:
    return f"{network_demo()}\n\n{staircase_demo()}"


def network_demo() -> str:
    """Return the losses of a ReLU network with 900 samples before and after one step, as text.

    >>> print(network_demo().splitlines()[3])
      test loss      0.244 before the step, 0.145 after it
    """
    theirs = tc.Problem("relu", "sin(x)", n=900, d=300, N=600, ridge="1/10", noise="1/10")
    network = replace(theirs, intercept=True, centred=False, **tc.conventions.layers_from("torch")._asdict())
    return _NETWORK.format(found=tc.step(network, eta=tc.conventions.eta_from("mean", 5))).rstrip()


def staircase_demo() -> str:
    """Return the staircase ℓ = 0 … 6 of centred ReLU as text, with a bar for each step.

    >>> print(staircase_demo().splitlines()[0])
    What one gradient step of size n^α teaches a ReLU network, in the limit of large n.
    """
    from theorycalc.results.quantities import TRAINING
    from theorycalc.results.table import aligned

    problem = tc.Problem("relu", "H1 + H2/2 + H3/6 + H4/24", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    stairs = tc.staircase(problem, 6)
    assert stairs.ceiling is not None
    proven = tc.predict(problem, ell=6, digits=30)
    return _STAIRCASE.format(
        which=TRAINING[0].upper() + TRAINING[1:],
        table=aligned(replace(stairs, ceiling=None).table().lines),
        before=stairs.predictions[0].test_loss_initial,
        noise=float(problem.noise) ** 2,
        ceiling=stairs.ceiling.test_gain,
        proven=proven.test_gain,
    ).rstrip()
