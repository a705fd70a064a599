"""The explorer: a local page with sliders, served only to this machine."""
