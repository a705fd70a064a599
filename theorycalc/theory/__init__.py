"""The equations of the theory, each typed once as a plain function of numbers."""
