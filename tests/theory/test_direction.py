"""The length of the step direction with the initial output, and the step's own batch.

See docs/theory/options.md#the-initial-output and docs/theory/options.md#a-batch-of-its-own-for-the-step.
"""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import problem


@pytest.mark.checks("initial_scatter")
@pytest.mark.parametrize("ratio", [None, "4", "1/3"])
@pytest.mark.parametrize("law", ["gaussian", "constant"])
def test_the_batch_of_the_step_scatters_the_initial_output(ratio, law):
    """κ̃ − κ = c_1² + φ₀(c_1² + c_{>1}²), and for equal weights 2c_2²/ψ more in the bracket; φ₀ = φn/n₀."""
    activation = tc.Activation.from_coefficients(["1/3", "1/2", "3/10"])
    plain, included = (
        tc.predict(
            problem(activation, step_samples=ratio, second_layer=law),
            ell=1,
            digits=25,
            network="literal",
            gradient=gradient,
        ).kappa
        for gradient in ("labels", "residual")
    )
    batch_ratio = {None: 1 / 2, "4": 1 / 8, "1/3": 3 / 2}[ratio]
    variance = 1 / 9 + 2 / 4 + 6 * 9 / 100 + (2 / 4 * 3 / 2 if law == "constant" else 0)
    assert float(included - plain) == pytest.approx(1 / 9 + batch_ratio * variance, rel=1e-14)
