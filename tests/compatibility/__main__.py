"""``make compatibility``: the wheel and the sdist in clean environments, tested by what came with the sdist.

``python -m tests.compatibility [NAME …]`` tries out some of ``ENVIRONMENTS``, each with the Pythons found on the PATH,
away from the repository and with warnings as errors.  If all pass, their rows in docs/compatibility.md are written; one
that fails ends the run.  It needs nothing but Python: what it tests with, it installs.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.pages import table, write_between, write_rows

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "compatibility.md"
HEAD = "environment | Python | versions | tests | minutes"
TOOLS = ("pytest", "pytest-xdist", "hypothesis")


class Environment(NamedTuple):
    """What is installed into it, and which tests it runs."""

    constraints: tuple[str, ...]  # files that hold versions
    package: str = "*.whl"
    extras: str = ""
    every_python: bool = False  # or the oldest alone: the lowest numpy and scipy have no wheels for newer ones


ENVIRONMENTS = {
    "lowest": Environment(("lowest.txt",)),
    "newest": Environment(("newest.txt",), every_python=True),
    "sdist": Environment((), package="*.tar.gz"),
    "extras": Environment(("lowest.txt", "lowest_extras.txt"), extras="[all]"),
}


def listed(name: str) -> list[str]:
    """Return the lines of a list beside this file that are no comments."""
    lines = (line.partition("#")[0].strip() for line in (HERE / name).read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line]


def chosen(environment: Environment) -> list[str]:
    """Return what pytest is asked for: what needs an extra, or all tests but those; and never what needs more."""
    extras, more = listed("needs_extras.txt"), listed("needs_more.txt")
    left_out = more if environment.extras else [*extras, *more]
    asked = extras if environment.extras else ["tests"]
    return [*asked, *(f"--{'deselect' if '::' in name else 'ignore'}={name}" for name in left_out)]


def pythons() -> list[str]:
    """Return the Pythons of the classifiers that are on the PATH and start, from the oldest; or the one that runs."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    wanted = [found[1] for line in classifiers if (found := re.fullmatch(r".*:: (3\.\d+)", line))]
    there = [name for name in (f"python{version}" for version in wanted) if shutil.which(name)]
    starting = [
        name for name in there if not subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode
    ]
    return starting or [sys.executable]


def _run(*command: Any, **options: Any) -> str:
    """Run a command that must succeed, and return what it prints if that is asked for."""
    done = subprocess.run([str(part) for part in command], check=True, text=True, **options)
    return done.stdout or ""


def make(python: str, folder: Path, *packages: Any) -> Path:
    """Make an environment with these packages and return its Python."""
    _run(python, "-m", "venv", folder)
    inside = folder / "bin" / "python"
    _run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return inside


def build(python: str, work: Path) -> None:
    """Build and check both packages, and unpack the sdist without what it installs."""
    inside = make(python, work / "build", "build", "twine")
    _run(inside, "-m", "build", "--outdir", work / "dist", ROOT, stdout=subprocess.DEVNULL)
    _run(inside, "-m", "twine", "check", "--strict", *(work / "dist").iterdir())
    shutil.unpack_archive(next((work / "dist").glob("*.tar.gz")), work / "unpacked", filter="data")
    next((work / "unpacked").iterdir()).replace(work / "source")
    shutil.rmtree(work / "source" / "theorycalc")  # what is tested is what was installed


def try_out(name: str, python: str, work: Path) -> list[str]:
    """Install and test one environment and return its row, or end the run."""
    environment = ENVIRONMENTS[name]
    began = time.monotonic()
    package = f"{next((work / 'dist').glob(environment.package))}{environment.extras}"
    held = [part for file in environment.constraints for part in ("--constraint", HERE / file)]
    folder = work / f"{name}-{Path(python).name}"
    inside = make(python, folder, "--only-binary", "numpy,scipy,python-flint", *held, package, *TOOLS)
    _run(inside, "-m", "pip", "check")
    there = versions(inside)
    source = work / "source"
    _run(folder / "bin" / "theorycalc", "demo", cwd=source, stdout=subprocess.DEVNULL)
    _run(inside, "-W", "error", "-c", "import theorycalc", cwd=source)
    command = [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "-n", "2", "--dist", "loadfile"]
    counts = tested([*command, *chosen(environment)], source, folder / "bin")
    shutil.rmtree(folder)
    named = [line.partition("==")[0] for file in ("lowest.txt", *environment.constraints[1:]) for line in listed(file)]
    shown = ", ".join(f"{package} {there[package]}" for package in named)
    return [name, there["Python"], shown, counts, f"{(time.monotonic() - began) / 60:.0f}"]


def versions(python: Path) -> dict[str, str]:
    """Return the version of a Python and of all that is installed beside it."""
    listing = _run(
        python, "-m", "pip", "list", "--disable-pip-version-check", "--format", "freeze", stdout=subprocess.PIPE
    )
    pairs = (line.split("==") for line in listing.splitlines())
    number = _run(python, "-c", "import platform; print(platform.python_version())", stdout=subprocess.PIPE)
    return {"Python": number.strip(), **{name.lower(): version for name, version in pairs}}


def tested(command: list[Any], source: Path, binaries: Path) -> str:
    """Run the tests, print what they print, and return what passed."""
    settings = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    settings.pop("PYTHONPATH", None)
    line = ""
    with subprocess.Popen(
        [str(part) for part in command], cwd=source, env=settings, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
    if process.returncode:
        raise SystemExit(f"pytest ended with {process.returncode}: {line.strip()}")
    return line.partition(" in ")[0].strip()


def main() -> None:
    """Try out what was asked for, or everything, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.compatibility")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ENVIRONMENTS)}; default: all")
    names = parser.parse_args().names or list(ENVIRONMENTS)
    if unknown := set(names) - set(ENVIRONMENTS):
        parser.error(f"{', '.join(sorted(unknown))}: none of {', '.join(ENVIRONMENTS)}")
    found = pythons()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        build(found[0], work)
        for name in names:
            for python in found if ENVIRONMENTS[name].every_python else found[:1]:
                print(f"== {name}, {python}", flush=True)
                rows.append(try_out(name, python, work))
    if set(names) == set(ENVIRONMENTS):
        write_between(PAGE, "runs", table(HEAD, []))  # Pythons that are no longer there
    write_rows(PAGE, "runs", HEAD, rows, ENVIRONMENTS)


if __name__ == "__main__":
    main()
