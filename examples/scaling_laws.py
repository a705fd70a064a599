"""Scaling laws: inputs whose eigenvalues are a power law make the loss a power of n and of N.

The j-th eigenvalue of the inputs is as j^−a, and the teacher's share in it as j^−b. Left: features that are linear in
the inputs, before a step; dashed lines have the exponents that are known for kernels, min(b − 1, 2a) over n, and for
random features, min(b − 1, a) over N. Right: tanh, before and after one step that learns its direction.

Linear teacher without noise, λ → 0. Left a = 3/2 and d = 10000, right a = 1/3, b = 6/5 and d = 20000; small: d = 500.
"""

from common import options

import theorycalc as tc
from theorycalc.plots.style import house_style, panels

chosen = options(__doc__)
wide, many = (500, 500) if chosen.small else (10_000, 20_000)
large = {"n": 10**9, "N": 10**9, "ridge": "1e-18"}

with house_style():
    figure, axes = panels(1, 2, width=7.0, height=3.8)
    for b, over in (("2", "n"), ("9/2", "n"), ("9/2", "N")):
        problem = tc.Problem("x", "H1", d=wide, inputs=f"power(3/2, {b})", first_layer="gaussian", **large)
        law = tc.scaling_law(problem, over, [10, 20, 40, 80, 160, 320])
        law.plot(ax=axes[0], label=f"over {over}, b = {b}")
        print(f"a = 3/2, b = {b}, over {over}: known exponent {law.known:g}\n{law}\n")
    axes[0].set(xlabel="n or N", ylabel="test loss", title="linear features")
    problem = tc.Problem("tanh", "H1", d=many, inputs="power(1/3, 6/5)", **large)
    for ell, words in enumerate(("before the step", "after the step")):
        law = tc.scaling_law(problem, "n", [many // share for share in (100, 50, 25, 12, 6, 3)], ell=ell)
        law.plot(ax=axes[1])
        print(f"tanh, a = 1/3, b = 6/5, {words}\n{law}\n")
    axes[1].set(xlabel="n, number of samples", ylabel="test loss", title="tanh")
print("One step lowers the loss; the exponent of a power law stays.")
tc.plots.save(figure, chosen.output / "scaling_laws.svg")
