"""Your own features: what training gained on handwritten digits.

How many labels do better features save, and at which penalty? A network of scikit-learn computes features of images
of digits (labels: −1 below 5, else 1) with random weights, after one large gradient step, and after training.
`tc.features(tc.feature_batches(network, X, y))` reduces each to a pool, from which the ridge fit on any number n of
points is predicted at every λ. `sklearn.linear_model.Ridge` then fits random splits; no number of theorycalc enters.

**Figure.** Test loss against n for three λ: curves are predicted, points are means over random splits with one standard
error. Last panel: the test loss that training gained at every n and λ, and the best λ before and after.

**Sizes.** The 1797 digits of scikit-learn: 600 train 100 neurons, the others are the pool, and are split 100 times
(`--small`: 8). `--fashion-mnist` takes 70,000 images of clothes from Debian's `dataset-fashion-mnist`: 4000
train 300 neurons, 20,000 are the pool, the rest is split 30 times. It needs `pip install 'theorycalc[plots]'
scikit-learn`.
"""

import gzip
import sys
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import theorycalc as tc

try:
    from sklearn import datasets, linear_model, neural_network
except ImportError:
    raise SystemExit("this example needs scikit-learn: pip install scikit-learn") from None

SMALL = "--small" in sys.argv  # seconds instead of minutes
DIGITS = "--fashion-mnist" not in sys.argv
neurons, learn, rate, passes, draws = (100, 600, 10, 60, 100) if DIGITS else (300, 4000, 1, 10, 30)
curves = 7 if SMALL else 25  # points of each
ridges, sizes = (0.01, 0.1, 1), [20, 40, 100, 250, 600] if DIGITS else [50, 150, 500, 1500, 5000]
pool, rest = (slice(learn, None),) * 2 if DIGITS else (slice(learn, learn + 20_000), slice(learn + 20_000, None))


def fashion_mnist():
    """Return the images, one in each row, and their classes from 0 to 9."""
    folder, parts = Path("/usr/share/datasets/fashion-mnist"), {"images-idx3": 16, "labels-idx1": 8}
    files = {part: [folder / f"{half}-{part}-ubyte.gz" for half in ("train", "t10k")] for part in parts}
    found = [
        np.concatenate([np.frombuffer(gzip.decompress(f.read_bytes()), np.uint8, offset=start) for f in files[part]])
        for part, start in parts.items()
    ]
    return found[0].reshape(-1, 784), found[1]


X, classes = datasets.load_digits(return_X_y=True) if DIGITS else fashion_mnist()
order = np.random.default_rng(0).permutation(len(X))
X, y = ((X - X.mean(axis=0)) / X.std())[order], np.where(classes < 5, -1.0, 1.0)[order]


def network(passes=1, **how):
    """Return a network after some passes over the images that train it; all begin with the same weights."""
    model = neural_network.MLPRegressor(hidden_layer_sizes=(neurons,), random_state=0, alpha=0, **how)
    for _ in range(passes):
        model.partial_fit(X[:learn], y[:learn])
    return model


def fitted(F, n, draw):
    """Return test losses of scikit-learn's fits to n random points, one for each λ."""
    points = np.random.default_rng((n, draw)).permutation(len(F))[: n + 10_000]
    (train, test), (labels, wanted) = (np.split(part[points], [n]) for part in (F, y[rest]))
    fits = [linear_model.Ridge(alpha=ridge * n).fit(train, labels) for ridge in ridges]
    return [np.mean((wanted - fit.predict(test)) ** 2) for fit in fits]


gradient = {"solver": "sgd", "momentum": 0, "batch_size": learn}  # of all points at once
models = {
    "random": network(learning_rate_init=1e-12, **gradient),
    "one step": network(learning_rate_init=rate, **gradient),
    "trained": network(passes),
}
pools = [tc.features(tc.feature_batches(model, X[pool], y[pool])) for model in models.values()]
predicted = np.array([one.losses(sizes, ridges).test_loss for one in pools])
features = [tc.features_of(model, X[rest]) for model in models.values()]
seen = np.array([[[fitted(F, n, k) for n in sizes] for F in features] for k in range(8 if SMALL else draws)])
mean, error = seen.mean(axis=0), seen.std(axis=0, ddof=1) / len(seen) ** 0.5

with tc.plots.house_style():
    figure, axes = plt.subplots(2, 2, figsize=(7.0, 5.6))
    curve = np.unique(np.geomspace(sizes[0], sizes[-1], curves).astype(int)).tolist()
    for j, (axis, ridge) in enumerate(zip(axes.flat, ridges, strict=False)):
        for i, name in enumerate(models):
            losses = pools[i].losses(curve, ridge).test_loss
            axis.plot(curve, losses, f"C{i}", ls=("-", "--", ":")[i], label=f"{name}, predicted")
            axis.errorbar(sizes, mean[i, :, j], error[i, :, j], fmt=f"C{i}{'osD'[i]}", label=f"{name}, splits ± s.e.")
        axis.set(xlabel="$n$, points of the fit", ylabel="test loss", title=rf"$\lambda$ = {ridge:g}", xscale="log")
        axis.set_xticks(sizes, sizes)
        axis.set_xticks([], minor=True)
        axis.set_ylim(bottom=0)
    tc.feature_gain(pools[0], pools[2], curve, np.geomspace(1e-3, 10, curves)).plot(axes[1, 1])
    figure.suptitle(f"ridge fits to {neurons} features of {'digits' if DIGITS else 'clothes'}", fontsize="medium")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    tc.plots.save(figure, f"own_features{'' if DIGITS else '_fashion'}.svg")

print("features  λ     " + "  ".join(f"{f'n = {n}':21}" for n in sizes).rstrip())
for (i, name), (j, ridge) in product(enumerate(models), enumerate(ridges)):
    numbers = zip(predicted[i, :, j], mean[i, :, j], error[i, :, j], strict=True)
    print("  ".join([f"{name:8}  {ridge:<4g}", *("{:.3f} ({:.3f} ± {:.3f})".format(*three) for three in numbers)]))
print(f"\nTest losses: predicted, and in brackets the mean over {len(seen)} splits with its standard error.")
for name, off in zip(models, abs(predicted / mean - 1), strict=True):
    print(f"Features {name}: predictions are {np.median(off):.1%} off in the median, {off.max():.1%} at worst.")
off = abs((predicted[0] - predicted[2]) / (mean[0] - mean[2]) - 1)
print(f"What training gained: predictions are {np.median(off):.1%} off in the median, {off.max():.1%} at worst.")
