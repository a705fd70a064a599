"""Documents about one problem: a sheet (LaTeX, PDF, HTML) and a report (HTML), made of the same blocks."""
