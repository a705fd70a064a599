"""The description of a case: parameters, activations, teachers, sizes."""
