"""LaTeX for a paper: formulas in its notation, with a problem's exact numbers, and a sheet of everything."""

import tempfile
from pathlib import Path

import theorycalc as tc

S = tc.symbolic

print("% The training gain of three features, with its parts named:")
print(tc.latex(S.formula("Delta", 3)))

print("\n% The same as the paper prints it:")
print(tc.latex(S.formula("Delta", 3, form="matrix")))

problem = tc.Problem("relu", teacher="H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
print("\n% Of this problem, exactly; only m_1 and m_2 are left:")
print(tc.latex(S.Delta(3, problem)))

with tempfile.TemporaryDirectory() as folder:
    path = tc.sheet(problem, ell=3).save(Path(folder, "sheet.tex"))
    print(f"\n% A document of the problem: {len(path.read_text().splitlines())} lines of LaTeX")
