"""Draw the pictures of the documentation: python -m tests.pictures."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot
from matplotlib.figure import Figure

import theorycalc as tc
from theorycalc.plots.style import house_style

IMAGES = Path(__file__).parents[1] / "docs" / "images"
#: How README.md's picture names its curves.
FIRST_KEYS = (
    r"limit $n \to \infty$ as in the theorem",
    r"limit $n \to \infty$ of real networks",
    *(f"network of {n} samples" for n in ("500", "2000", "100 000")),
    "simulated, 500 samples, ± s.e.",
)


def first_picture(problem: tc.Problem, run: tc.Run) -> Figure:
    """Return the picture of README.md, which is to be read at a width of 600 pixels: both gains side by side."""
    figure, axes = pyplot.subplots(1, 2, figsize=(5.8, 3.4))
    for axis in axes:
        axis.set(title=" ", xlabel=r"$\alpha$, exponent of the step $\eta = n^\alpha$")  # the title is above both
    tc.plots.gain_against_alpha(problem, n=[500, 2000, 100_000], run=run, ax=axes)
    for axis in axes:
        axis.get_legend().remove()
        axis.set_title("")
    figure.suptitle(
        r"ReLU, teacher $H_1$ + $H_2/2$ + $H_3/6$, $\lambda$ = 0.1, $\sigma_{\varepsilon}$ = 0.5", fontsize="medium"
    )
    keys, _ = axes[0].get_legend_handles_labels()
    figure.legend(keys, FIRST_KEYS, loc="outside lower center", ncols=2)
    return figure


def main() -> None:
    """Write every picture; the simulation takes some seconds."""
    problem = tc.Problem("relu", "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    alphas = [0.05, 0.15, 0.25, 0.35, 0.45]
    run = tc.simulate(problem, n=500, alpha=alphas, replicates=20, seed=0, spectrum=True)
    pictures = {
        "gain_against_alpha": first_picture(problem, run),
        "gains": tc.plots.gain_against_alpha(problem, n=[500, 2000, 100_000], run=run),
        "spectrum": tc.spectrum(problem, n=500, alpha=0.35).plot(run=run),
        "weights": tc.weight_spectrum(problem, n=500, alpha=0.25).plot(run=run),
        "comparison": tc.compare(run, tc.step(problem, n=500, alpha=alphas)).plot(),
        "coefficients": tc.activation("relu").plot(),
        "double_descent": tc.plots.double_descent(problem),
        "phase_diagram": tc.plots.phase_diagram(problem),
        "staircase": tc.staircase(problem).plot(),
        "prediction": tc.predict(problem, ell=2).plot(),
        "run": run.plot(),
        "sweep": tc.sweep(problem, {"ell": 2, "phi": "0.05:5:20:log", "ridge": "1e-4:100:30:log"}).plot(),
        "best": tc.best_ridge(problem, n=500, alpha="0.3").plot(),
    }
    IMAGES.mkdir(exist_ok=True)
    for name, figure in pictures.items():
        tc.plots.save(figure, IMAGES / f"{name}.svg")


if __name__ == "__main__":
    with house_style():
        main()
