"""The real network: drawn, trained by a step, fitted and tested; no limit is used.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""
