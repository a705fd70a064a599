"""Theory against observations, simulated or your own, judged by standard errors."""
