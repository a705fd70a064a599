"""The real network of theory sections 1 and 10: drawn, trained by a step, fitted and tested; no limit is used."""
