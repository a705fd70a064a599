"""A network of PyTorch and a fit of scikit-learn, against the theory.

Does the theory know the network that everybody builds? This one is made by `torch.nn` as it comes: uniform weights,
biases, a raw ReLU or GELU. One step of `torch.optim.SGD` on `MSELoss` trains the weights of its first layer, by
automatic differentiation; `sklearn.linear_model.Ridge` then fits the second layer to new points, with an intercept. No
number of theorycalc enters. The theory gets the model itself, `tc.Problem.from_torch(model, …)`, its learning rate by
`tc.conventions.eta_from("mean", lr)`, and its penalty by `tc.ridge_from("sum", alpha, n=n)`.

**Figure.** Test loss (left) and training loss, the ridge objective (right), against the learning rate: curves are
`tc.step`, points are means over networks with one standard error. Losses are predicted up to a share of order 1/n.

**Sizes.** n = 800, d = 400, N = 600, 32 draws, the penalty alpha = 24 (`--small`: n = 160, 6 draws). Labels are
t + (t² − 1)/2 plus noise of standard deviation 1/2. It needs `pip install '.[plots,torch]'`.
"""

import numpy as np
from common import Check, checks_table, draw_checks, options, verdict

import theorycalc as tc
from theorycalc.plots.style import COLOURS, LINES, MARKERS, house_style, panels

try:
    import torch
    from sklearn.linear_model import Ridge
    from torch import nn
except ImportError:
    raise SystemExit("this example needs torch and scikit-learn: pip install '.[torch]'") from None

RATES = (0, 0.5, 2.5, 10, 25)
LOSSES = {"test_loss": "test loss", "train_loss": "training loss"}
GAINS = {"test_gain": "test", "train_gain": "training"}

chosen = options(__doc__)
n, draws = (160, 6) if chosen.small else (800, 32)
d, N, alpha = n // 2, 3 * n // 4, 0.03 * n
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


checks = {name: [] for name in (*LOSSES, *GAINS)}
with house_style():
    figure, axes = panels(1, 2, width=7.0, height=2.9)
    for i, label in enumerate(("ReLU", "GELU")):
        models = [nn.Sequential(nn.Linear(d, N), getattr(nn, label)(), nn.Linear(N, 1)) for _ in range(draws)]
        ridge = tc.ridge_from("sum", alpha, n=n)
        problem = tc.Problem.from_torch(models[0], "H1 + H2/2", n=n, ridge=ridge, noise="1/2")
        theory = tc.step(problem, eta=[tc.conventions.eta_from("mean", rate) for rate in RATES])
        curve = np.linspace(0, RATES[-1], 8 if chosen.small else 40)
        smooth, seen = tc.step(problem, eta=2 * curve), np.moveaxis(np.array([losses(model) for model in models]), 2, 0)
        for name, values in zip(checks, [*seen, *(seen[:, :, :1] - seen)], strict=True):
            rows = zip(RATES, values.mean(0), values.std(0, ddof=1) / draws**0.5, getattr(theory, name), strict=True)
            checks[name] += [Check(f"{label}, lr = {rate:g}", *row, draws) for rate, *row in rows if row[1]]
        for axis, (name, words) in zip(axes, LOSSES.items(), strict=True):
            axis.plot(curve, getattr(smooth, name), color=COLOURS[i], ls=LINES[i], label=f"theory, {label}")
            draw_checks(axis, RATES, checks[name][-5:], fmt=MARKERS[i], color=COLOURS[i], label="networks ± s.e.")
            axis.set(xlabel="learning rate", ylabel=words)
    axes[1].legend()
tc.plots.save(figure, chosen.output / "pytorch_and_scikit_learn.svg")

for name, words in LOSSES.items():
    print(checks_table(checks[name], words, "theory"), "\n")
everything = [check._replace(name=f"{check.name}, {words}") for name, words in GAINS.items() for check in checks[name]]
print(f"Losses gained by the step, test and training: {verdict(everything, 'theory')}")
