"""A thousand proven digits of the test gain, and how float64 compares with them."""

import theorycalc as tc

problem = tc.Problem(
    tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2"], phi="1/2", psi="2/3", ridge="1/10", noise="1/2"
)
proven = tc.predict(problem, ell=2, digits=1000).test_gain
rounded = tc.predict(problem, ell=2).test_gain

print(proven)
print(f"float64: {rounded!r}, relative error {float(abs(rounded / proven - 1)):.1e}")
