"""The real network against the theory, where its limit is reached: a linear activation makes one spike at any step."""

import theorycalc as tc

problem = tc.Problem("x", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
run = tc.simulate(problem, n=200, alpha=0.4, replicates=20, seed=0)

print(run)
print(tc.compare(run, tc.predict(problem, ell=1)))
print(tc.compare(run, tc.predict(problem, ell=1, as_printed=True)))  # Λ_1 as the slides print it
