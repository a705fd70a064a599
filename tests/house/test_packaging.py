"""What is shipped: a wheel with the package alone, an sdist with all that is needed to test it, true metadata."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest

from tests.compatibility.__main__ import listed

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: The extras that a program of a user needs; the others are for those who change this one.
RUNNING = ("sheet", "plots", "dask", "xarray", "pandas", "completion")


def build(source: Path, target: Path, what: str) -> Path:
    """Build a wheel or an sdist with what is installed: nothing is fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", what, "--directory", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(target.glob("*.whl" if what == "wheel" else "*.tar.gz"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """The sdist, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(ROOT, folder, "sdist")) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory) -> dict[str, bytes]:
    """The files of the wheel that is made of the sdist."""
    with zipfile.ZipFile(build(sdist, tmp_path_factory.mktemp("wheel"), "wheel")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    data = next(data for name, data in wheel.items() if name.endswith("/METADATA"))
    return email.message_from_string(data.decode("utf-8"))


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder.parent).as_posix(): path.read_bytes() for path in paths}


def test_the_wheel_is_the_package_and_nothing_else(wheel):
    package = {name: data for name, data in wheel.items() if ".dist-info/" not in name}
    assert package == files_of(ROOT / "theorycalc")
    assert {
        "theorycalc/py.typed",
        "theorycalc/explorer/static/index.html",
        "theorycalc/explorer/static/main.js",
    } <= set(package)


def is_ignored(name: str) -> bool:
    """Say whether a file is made by a command, so that git does not keep it."""
    return subprocess.run(["git", "check-ignore", "--quiet", name], cwd=ROOT, check=False).returncode == 0


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git knows which files are generated")
def test_the_sdist_has_what_its_tests_need(sdist):
    for folder in ("tests", "benchmarks", "docs", "examples"):
        packed, here = files_of(sdist / folder), files_of(ROOT / folder)
        assert packed == {name: here[name] for name in packed}
        assert all(is_ignored(name) for name in here.keys() - packed.keys())
    assert {path.name for path in sdist.iterdir()} == {
        "theorycalc", "tests", "benchmarks", "docs", "examples", "README.md", "CHANGELOG.md", "CONTRIBUTING.md",
        "CITATION.cff", "LICENSE", "Makefile", "package.json", "pyproject.toml", "PKG-INFO", ".gitignore",
    }  # fmt: skip


def test_the_metadata_is_that_of_the_project(metadata):
    assert (metadata["Name"], metadata["Requires-Python"]) == ("theorycalc", PROJECT["requires-python"])
    assert (metadata["License-Expression"], metadata["License-File"]) == ("MIT", "LICENSE")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(needed) == sorted(PROJECT["dependencies"])
    assert set(metadata.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])


def test_the_wheel_installs_the_command(wheel):
    entry_points = next(data for name, data in wheel.items() if name.endswith("/entry_points.txt"))
    assert b"theorycalc = theorycalc.cli:main" in entry_points


def pins(name: str) -> dict[str, tuple[int, ...]]:
    return {package: release(version) for package, version in (line.split("==") for line in listed(name))}


def bounds(lines: list[str]) -> dict[str, tuple[int, ...]]:
    matches = (re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)(?:,<[0-9.]+)?", line) for line in lines)
    return {match[1]: release(match[2]) for match in matches if match}


def test_the_bounds_of_the_project_are_the_lowest_that_are_tested():
    needed = bounds(PROJECT["dependencies"])
    lowest, newest = pins("lowest.txt"), pins("newest.txt")
    assert len(needed) == len(PROJECT["dependencies"])
    assert {name: lowest[name] for name in needed} == needed
    assert set(newest) == set(lowest)
    assert all(newest[name] >= lowest[name] for name in lowest)


def test_the_bounds_of_the_extras_are_the_lowest_that_are_tested():
    extras = PROJECT["optional-dependencies"]
    needed = bounds([line for name in RUNNING for line in extras[name]])
    lowest = pins("lowest_extras.txt")
    assert {name: lowest[name] for name in needed} == needed
    assert extras["all"] == ["theorycalc[report,explore,completion,dask,xarray,pandas]"]


def test_what_needs_more_than_the_package_is_there():
    """A test that was renamed would be left out of one environment and fail in another."""
    for line in [*listed("needs_extras.txt"), *listed("needs_more.txt")]:
        file, _, name = line.partition("::")
        place = ROOT / file
        assert place.is_dir() or f"def {name.partition('[')[0]}" in place.read_text(encoding="utf-8"), line


def release(version: str) -> tuple[int, ...]:
    """Return 1.26 and 1.26.0 as one."""
    parts = tuple(map(int, version.split(".")))
    return parts + (0,) * (3 - len(parts))
