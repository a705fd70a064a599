"""PDF of a document, by whatever LaTeX there is."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from theorycalc.errors import ArgumentError, TheoryError
from theorycalc.running.files import write_atomically

_ENGINES = ("pdflatex", "lualatex", "xelatex", "tectonic")
_PATIENCE = 120  # seconds for one document


def find_engine() -> str | None:
    """Return the first LaTeX on this machine that makes PDF files."""
    return next((engine for engine in _ENGINES if shutil.which(engine)), None)


def write_pdf(path: Path, source: str) -> Path:
    """Compile LaTeX source in a directory of its own and move the PDF to its place."""
    engine = find_engine()
    if engine is None:
        raise ArgumentError(
            f"a PDF needs LaTeX, and none of {', '.join(_ENGINES)} was found; save a .tex or .html file instead"
        )
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "sheet.tex").write_text(source, encoding="utf-8")
        options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        command = [engine, *options, "sheet.tex"]
        try:
            done = subprocess.run(
                command, cwd=directory, capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            raise TheoryError(
                f"{engine} did not finish within {_PATIENCE} s; save a .tex file and compile it"
            ) from None
        pdf = Path(directory, "sheet.pdf")
        if done.returncode or not pdf.exists():
            raise TheoryError(f"{engine} failed: {_complaint(done.stdout)}; save a .tex file to look into it")
        return write_atomically(path, pdf.read_bytes())


def _complaint(log: bytes) -> str:
    lines = log.decode("utf-8", errors="replace").splitlines()
    return next((line[2:] for line in lines if line.startswith("! ")), "no message")
