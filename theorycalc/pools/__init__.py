"""Your own features: what a ridge fit on n of them does, for every n and λ, from one pool (docs/own_features.md)."""
