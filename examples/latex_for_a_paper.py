"""LaTeX for a paper.

How do you get the formulas, and the numbers of your own problem, into a manuscript without retyping them?

No figure: the script writes `latex_for_a_paper.tex`, which compiles with plain `pdflatex` and amsmath. It holds the
training and test gains of three spikes in the paper's notation with every part defined, the training gain with the
problem's exact numbers substituted, and a table of values with proven digits. The script prints the table and the first
formula. (For a document with everything about a problem, `tc.sheet(problem, ell=3).save("sheet.pdf")` is one call.)

**Sizes.** Activation tanh(x + 1), teacher H_1 + H_2/2 + H_3/6, d/n = 1/2, d/N = 2/3, ridge 1/10, noise of standard
deviation 1/2; values to 20 digits.
"""

from pathlib import Path

import mpmath

import theorycalc as tc

ELL, DIGITS = 3, 20
problem = tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/6", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")

training, test = (tc.symbolic.formula(name, ELL) for name in ("Delta", "Lambda"))
steps = [tc.predict(problem, ell=ell, digits=DIGITS) for ell in range(1, ELL + 1)]
values = [[mpmath.nstr(x, DIGITS, strip_zeros=False) for x in (p.train_gain, p.test_gain, p.test_loss)] for p in steps]
table = "\n".join(rf"{ell} & {' & '.join(row)} \\" for ell, row in enumerate(values, start=1))
document = rf"""\documentclass{{article}}
\usepackage{{amsmath}}
\begin{{document}}
The training gain of {ELL} spikes is
\[
{tc.latex(training)}
\]
and the test gain
\[
{tc.latex(test)}
\]
For our case this is
\[
\Delta_{{{ELL}}} = {tc.latex(tc.symbolic.Delta(ELL, problem))} .
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
Path("latex_for_a_paper.tex").write_text(document, encoding="utf-8")

print(f"ℓ  {'Δ_ℓ':{DIGITS + 3}}  {'Λ_ℓ':{DIGITS + 3}}  L_te(F)")
for ell, row in enumerate(values, start=1):
    print(f"{ell}  {'  '.join(f'{value:{DIGITS + 3}}' for value in row).rstrip()}")
print(f"\n{tc.latex(training)}")
lines = len(document.splitlines())
print(f"\nlatex_for_a_paper.tex has {lines} lines; every formula and number in it comes from the code.")
