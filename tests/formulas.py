"""Every formula that is typeset, by a name for its golden file; ``python -m tests.formulas`` writes the files anew."""

from __future__ import annotations

import theorycalc as tc
from tests.helpers import DATA
from theorycalc.symbolic.formulas import ENTRIES

GOLDEN = DATA / "latex"
#: A problem with a_s, a_f, g_a and a mean of the labels.
CORRUPTED = tc.Problem(
    "tanh(x + 1)",
    "H1 + H2/2 + 1",
    "1/2",
    "2/3",
    "1/10",
    intercept=True,
    centred_labels=False,
    second_scale="1/2",
    corrupt_step="1/5",
    corrupt_fit="3/10",
)
LARGEST = 6


def typeset(ell: int) -> dict[str, str]:
    """Return the LaTeX of every formula at an index, folded and unfolded, in each of its forms."""
    S = tc.symbolic
    made = {name: S.formula(name, ell if entry.index else None) for name, entry in ENTRIES.items()}
    made |= {f"{name}-matrix": S.formula(name, ell, form="matrix") for name in ("Delta", "Lambda")}
    made |= {f"{name}-odd": S.formula(name, ell, spikes=range(1, ell + 1, 2)) for name in ("Delta", "Lambda")}
    literal = ("direction", "B", "Delta", "Lambda", "train_loss", "train_error", "test_loss")
    made |= {
        f"{name}-literal": S.formula(name, ell if ENTRIES[name].index else None, network="literal") for name in literal
    }
    made |= {
        f"{name}-intercept": S.formula(name, ell, intercept=True) for name in ("B", "Delta", "Lambda", "test_loss")
    }
    made["Delta-intercept-literal"] = S.formula("Delta", ell, intercept=True, network="literal")
    for name in ("direction", "Delta", "Lambda", "test_loss"):
        index = ell if ENTRIES[name].index else None
        made[f"{name}-corrupted"] = S.formula(name, index, problem=CORRUPTED, network="literal")
    made["Delta-literal-labels"] = S.formula("Delta", ell, network="literal", gradient="labels")
    if ell >= 4:
        made["Delta-literal-gaps"] = S.formula("Delta", ell, network="literal", spikes=(1, 4))
    if ell <= 2:
        made["Lambda-slides"] = S.formula("Lambda", ell, as_printed=True)
    texts = {name: tc.latex(formula) for name, formula in made.items()}
    return texts | {f"{name}-unfolded": tc.latex(formula, unfold=True) for name, formula in made.items()}


def golden() -> dict[str, str]:
    """Return the contents of the golden files: one for each formula, at ℓ = 3, and the slides' Λ at ℓ = 2."""
    slides = {name: text for name, text in typeset(2).items() if "slides" in name}
    return typeset(3) | slides


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in golden().items():
        (GOLDEN / f"{name}.tex").write_text(text + "\n", encoding="utf-8")
    print(f"wrote {len(golden())} files to {GOLDEN}: read the difference before you commit it")
