"""The equations of the theory, each written once as a plain function of numbers."""
