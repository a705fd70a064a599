"""LaTeX and documents: expressions as the paper writes them, sheets of one problem."""
