"""The real network: drawn, trained by a step, fitted and tested, without any limit.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""
