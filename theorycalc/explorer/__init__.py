"""The explorer: a local page with sliders, served to this machine only."""
