"""What the network computes with, and what it is taught: activations and teachers."""
