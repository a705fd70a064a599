"""Scaling laws: inputs whose eigenvalues are a power law make the loss a power of n and of N.

The j-th eigenvalue of the inputs is as j^−a, and the teacher's share in it as j^−b. Left: features that are linear in
the inputs, before a step; dashed lines have the exponents that are known for kernels, min(b − 1, 2a) over n, and for
random features, min(b − 1, a) over N. Right: tanh, before and after one step that learns its direction.

Linear teacher without noise, λ → 0. Left a = 3/2 and d = 10000, right a = 1/3, b = 6/5 and d = 20000; small: d = 500.
"""

import sys

import matplotlib.pyplot as plt

import theorycalc as tc

wide, many = (500, 500) if "--small" in sys.argv else (10_000, 20_000)  # the number of inputs
large = {"n": 10**9, "N": 10**9, "ridge": "1e-18"}

with tc.plots.house_style():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.0, 4.2))
    for b, over in (("2", "n"), ("9/2", "n"), ("9/2", "N")):
        problem = tc.Problem("x", "H1", d=wide, inputs=f"power(3/2, {b})", first_layer="gaussian", **large)
        law = tc.scaling_law(problem, over, [10, 20, 40, 80, 160, 320])
        law.plot(ax=left, label=f"over ${over}$, $b$ = {b}")
        print(f"a = 3/2, b = {b}, over {over}: known exponent {law.known:g}\n{law}\n")
    left.set(xlabel="$n$ or $N$", ylabel="test loss", title="linear features, teacher $H_1$, $a$ = 3/2")
    problem = tc.Problem("tanh", "H1", d=many, inputs="power(1/3, 6/5)", **large)
    for ell, words in enumerate(("before the step", "after the step")):
        law = tc.scaling_law(problem, "n", [many // share for share in (100, 50, 25, 12, 6, 3)], ell=ell)
        law.plot(ax=right)
        print(f"tanh, a = 1/3, b = 6/5, {words}\n{law}\n")
    right.set(xlabel="$n$, number of samples", ylabel="test loss", title="tanh, teacher $H_1$, $a$ = 1/3, $b$ = 6/5")
    tc.plots.save(figure, "scaling_laws.svg")
print("One step lowers the loss; the exponent of a power law stays.")
