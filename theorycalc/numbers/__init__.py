"""Numbers: exact reading, the number systems a formula can be called with, and balls."""
