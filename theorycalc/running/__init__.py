"""How work is run: executors and BLAS threads, progress on a terminal, files and journals."""
