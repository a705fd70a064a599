"""LaTeX for a paper.

How do you get the formulas, and the numbers of your own problem, into a manuscript without retyping them?

No figure: the script writes `latex_for_a_paper.tex`, which compiles with plain `pdflatex` and amsmath. It holds the
training and test gains of three spikes in the paper's notation with every part defined, the training gain with the
problem's exact numbers substituted, and a table of values with proven digits. The script prints the table and the first
formula. (For a document with everything about a problem, `tc.sheet(problem, ell=3).save("sheet.pdf")` is one call.)

**Sizes.** Activation tanh(x + 1), teacher H_1 + H_2/2 + H_3/6, d/n = 1/2, d/N = 2/3, ridge 1/10, noise of standard
deviation 1/2; values to 20 digits.
"""

import mpmath
from common import options

import theorycalc as tc
from theorycalc.results.table import aligned

chosen = options(__doc__)
ELL, DIGITS = 3, 20
S = tc.symbolic
problem = tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
steps = [tc.predict(problem, ell=ell, digits=DIGITS) for ell in range(1, ELL + 1)]
values = [[mpmath.nstr(x, DIGITS, strip_zeros=False) for x in (p.train_gain, p.test_gain, p.test_loss)] for p in steps]

table = "\n".join(rf"{ell} & {' & '.join(row)} \\" for ell, row in enumerate(values, start=1))
document = rf"""\documentclass{{article}}
\usepackage{{amsmath}}
\begin{{document}}
The training gain of {ELL} spikes is
\[
{tc.latex(S.formula("Delta", ELL))}
\]
and the test gain
\[
{tc.latex(S.formula("Lambda", ELL))}
\]
For our case this is
\[
\Delta_{{{ELL}}} = {tc.latex(S.Delta(ELL, problem))} .
\]
All {DIGITS} digits are proven:
\begin{{center}}
\begin{{tabular}}{{rlll}}
$\ell$ & $\Delta_\ell$ & $\Lambda_\ell$ & $L_{{\mathrm{{te}}}}(F)$ \\ \hline
{table}
\end{{tabular}}
\end{{center}}
\end{{document}}
"""
path = chosen.output / "latex_for_a_paper.tex"
path.write_text(document, encoding="utf-8")

print(aligned([["ℓ", "Δ_ℓ", "Λ_ℓ", "L_te(F)"], *([str(ell), *row] for ell, row in enumerate(values, start=1))]))
print(f"\n{tc.latex(S.formula('Delta', ELL))}")
print(f"\n{path.name} has {len(document.splitlines())} lines; every formula and number in it comes from the code.")
