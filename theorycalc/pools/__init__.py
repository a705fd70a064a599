"""Your own features: losses of ridge fits on n points, for every n and λ, from one pool (docs/own_features.md)."""
