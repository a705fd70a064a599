"""Writing documents: whole or not at all, and PDF by whatever LaTeX there is."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from theorycalc.errors import ArgumentError, TheoryError

_ENGINES = ("pdflatex", "lualatex", "xelatex", "tectonic")
_PATIENCE = 120  # seconds for one document


def write_text(path: Path, text: str) -> Path:
    """Write a file whole, or leave what was there."""
    return write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file beside its place and move it there, so that no half of it is ever seen.

    A file that was there keeps its permissions, and a link its place.
    """
    try:
        target = path.resolve()
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".theorycalc-", delete=False) as temporary:
            try:
                temporary.write(data)
                temporary.flush()
                os.chmod(temporary.name, mode)
                os.replace(temporary.name, target)
            except BaseException:
                os.unlink(temporary.name)
                raise
    except (OSError, ValueError) as error:  # ValueError: a null character
        raise ArgumentError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
    return path


def _umask() -> int:
    """Return the permissions that new files do not have; the system tells only when it is set."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
        return write_bytes(path, pdf.read_bytes())


def _complaint(log: bytes) -> str:
    lines = log.decode("utf-8", errors="replace").splitlines()
    return next((line[2:] for line in lines if line.startswith("! ")), "no message")
