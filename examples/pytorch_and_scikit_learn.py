"""A network of PyTorch and a fit of scikit-learn, against the theory.

Does the theory know the network that everybody builds? This one is made by `torch.nn` as it comes: uniform weights,
biases, a raw ReLU or GELU. One step of `torch.optim.SGD` on `MSELoss` trains the weights of its first layer, by
automatic differentiation; `sklearn.linear_model.Ridge` then fits the second layer to new points, with an intercept. No
number of theorycalc enters. The theory gets the model itself, `tc.Problem.from_torch(model, …)`, its learning rate by
`tc.conventions.eta_from("mean", lr)`, and its penalty by `tc.ridge_from("sum", alpha, n=n)`; `tc.compare` reads the
measured losses.

**Figure.** Test loss (left) and training loss, the ridge objective (right), against the learning rate: curves are
`tc.step`, points are means over networks with one standard error. Losses are predicted up to a share of order 1/n.

**Sizes.** n = 800, d = 400, N = 600, 32 draws, the penalty alpha = 24 (`--small`: n = 160, 6 draws). Labels are
t + (t² − 1)/2 plus noise of standard deviation 1/2. It needs `pip install 'theorycalc[plots,torch]'`.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

try:
    import torch
    from sklearn.linear_model import Ridge
    from torch import nn
except ImportError:
    raise SystemExit("this example needs torch and scikit-learn: pip install torch scikit-learn") from None

SMALL = "--small" in sys.argv  # seconds instead of minutes
RATES = (0, 0.5, 2.5, 10, 25)
n, draws = (160, 6) if SMALL else (800, 32)
d, N, alpha = n // 2, 3 * n // 4, 0.03 * n
LOSSES = {"test_loss": "test loss", "train_loss": "training loss, with penalty"}
torch.set_default_dtype(torch.float64)
torch.manual_seed(1)


def batch(beta, size=n):
    x = torch.randn(size, d)
    return x, x @ beta + ((x @ beta) ** 2 - 1) / 2 + torch.randn(size) / 2


def fitted(model, train, test):
    """Return test loss, and the ridge objective, of scikit-learn's fit to the features of a model."""
    (features, y), (new, y_new) = ((model[:2](x).detach().numpy(), labels.numpy()) for x, labels in (train, test))
    fit = Ridge(alpha=alpha).fit(features, y)
    objective = np.mean((y - fit.predict(features)) ** 2) + alpha / n * np.sum(fit.coef_**2)
    return np.mean((y_new - fit.predict(new)) ** 2), objective


def losses(model):
    """Return the losses of a network after one step of each learning rate."""
    beta = nn.functional.normalize(torch.randn(d), dim=0)
    (x, y), train, test = batch(beta), batch(beta), batch(beta, 4 * n)
    nn.MSELoss()(model(x)[:, 0], y).backward()
    start, found = model[0].weight.detach().clone(), []
    for rate in RATES:
        model[0].weight.data = start.clone()
        torch.optim.SGD([model[0].weight], lr=rate).step()
        found.append(fitted(model, train, test))
    return found


comparisons = {}
with tc.plots.house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.4))
    for i, label in enumerate(("ReLU", "GELU")):
        models = [nn.Sequential(nn.Linear(d, N), getattr(nn, label)(), nn.Linear(N, 1)) for _ in range(draws)]
        ridge = tc.ridge_from("sum", alpha, n=n)
        problem = tc.Problem.from_torch(models[0], "H1 + H2/2", n=n, ridge=ridge, noise="1/2")
        seen = np.array([losses(model) for model in models])  # of each draw, rate and loss
        measured = [
            {"eta": tc.conventions.eta_from("mean", rate)}
            | {name: seen[draw, k, j] for j, name in enumerate(LOSSES)}
            | {f"{name}_initial": seen[draw, 0, j] for j, name in enumerate(LOSSES)}
            for draw in range(draws)
            for k, rate in enumerate(RATES)
            if rate
        ]
        comparisons[label] = tc.compare(measured, problem, level=0.01 / 2)
        curve = np.linspace(0, RATES[-1], 8 if SMALL else 40)
        theory = tc.step(problem, eta=[tc.conventions.eta_from("mean", rate) for rate in curve])
        for j, (axis, (name, words)) in enumerate(zip(axes, LOSSES.items(), strict=True)):
            axis.plot(curve, getattr(theory, name), f"C{i}", ls="-:"[i], label=f"{label}, theory")
            means, errors = seen[:, :, j].mean(0), seen[:, :, j].std(0, ddof=1) / draws**0.5
            axis.errorbar(RATES, means, errors, fmt=f"C{i}{'os'[i]}", label=f"{label}, {draws} networks ± s.e.")
            axis.set(xlabel="learning rate", ylabel=words)
    figure.suptitle(f"torch.nn, teacher $H_1$ + $H_2/2$, $n$ = {n}, $d$ = {d}, $N$ = {N}", fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    tc.plots.save(figure, "pytorch_and_scikit_learn.svg")

print("activation  η     quantity    measured         theory  z")
for label, comparison in comparisons.items():
    for row in comparison.rows:
        if not row["quantity"].endswith("_initial"):
            observed = f"{row['observed']:.4f} ± {row['standard_error']:.4f}"
            words = f"{label:10}  {row['eta']:<4g}  {row['quantity']:10}"
            print(f"{words}  {observed}  {row['predicted']:.4f}  {row['z']:+.1f}")
for label, comparison in comparisons.items():
    print(f"\nLosses gained by the step, {label}: {comparison.verdict_text}")
