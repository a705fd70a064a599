"""How work is run: executors, BLAS threads, progress on a terminal, files and their journal."""
