"""Your own features: losses of ridge fits on n of them, for every n and λ, from one pool (docs/own_features.md)."""
