"""Draw the pictures of the documentation: python -m tests.pictures."""

from __future__ import annotations

from pathlib import Path

import theorycalc as tc
from theorycalc.plots.style import house_style

IMAGES = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    """Write every picture; the simulation takes some seconds."""
    problem = tc.Problem("relu", "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
    alphas = [0.05, 0.15, 0.25, 0.35, 0.45]
    run = tc.simulate(problem, n=500, alpha=alphas, replicates=20, seed=0, spectrum=True)
    pictures = {
        "gain_against_alpha": tc.plots.gain_against_alpha(problem, n=[500, 2000, 100_000], run=run),
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
