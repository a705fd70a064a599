"""What is no file where a file should be — folders, pipes, devices, links — and texts that would be code."""

from __future__ import annotations

import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import theorycalc as tc
from tests.helpers.processes import PATIENCE
from tests.running.test_hostile_files import PROBLEM, SMALL, Payload, header, signed

OVER = {"ell": [1, 2]}


def simulated(path: Path):
    return tc.simulate(PROBLEM, **SMALL, output=path / "run.json", resume=True)


def swept(path: Path):
    return tc.sweep(PROBLEM, OVER, quantities="m1", output=path / "grid.csv", resume=True)


def loaded(path: Path):
    return tc.load_run(path / "run.json")


READERS = {
    "run.json": (loaded, simulated),
    "run.json.journal": (simulated,),
    "grid.csv": (swept,),
    "grid.csv.part": (swept,),
    "grid.csv.progress": (swept,),
}


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def full(path: Path) -> None:
    path.symlink_to("/dev/full")


@pytest.mark.parametrize("make", [folder, pipe, zeros, full])
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_is_refused_and_left(tmp_path, name, make):
    """At once: a pipe that nobody writes to would be waited for."""
    make(tmp_path / name)
    kind = os.lstat(tmp_path / name).st_mode
    for read in READERS[name]:
        with ThreadPoolExecutor(1) as pool, pytest.raises(tc.TheoryError):
            pool.submit(read, tmp_path).result(timeout=PATIENCE)
    assert os.lstat(tmp_path / name).st_mode == kind
    assert os.listdir(tmp_path)[0].startswith(name.partition(".")[0])


def test_the_part_of_a_sweep_is_no_link_to_something_else(tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("")
    (tmp_path / "grid.csv.part").symlink_to(precious)
    with pytest.raises(tc.ArgumentError, match="cannot write"):
        swept(tmp_path)
    assert precious.read_text() == ""


def test_a_link_in_the_way_of_a_temporary_file_is_not_followed(tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    (tmp_path / f"run.json.{os.getpid()}.part").symlink_to(precious)
    simulated(tmp_path)
    assert precious.read_text() == "mine"
    assert tc.load_run(tmp_path / "run.json").complete


CODE = "__import__('os').system('touch {}')"


def test_nothing_in_a_file_is_executed(tmp_path):
    """A payload in every place that holds text, as code, as a path, and as a pickle."""
    marker = tmp_path / "executed"
    data = tc.simulate(PROBLEM, **SMALL).to_dict()
    path = tmp_path / "run.json"
    texts = [CODE.format(marker), f"exec(open('{marker}', 'w'))", "../../../../etc/passwd", f"$(touch {marker})"]
    for text in texts:
        for part in ("activation", "teacher", "phi", "noise", "first_layer"):
            problem = json.loads(json.dumps(data["settings"]["problem"]))
            if isinstance(problem[part], dict):
                problem[part] |= {"text": text, "name": text}
            else:
                problem[part] = text
            path.write_text(json.dumps(data | {"settings": data["settings"] | {"problem": problem}}))
            with pytest.raises(tc.DomainError):
                tc.load_run(path)
    path.unlink()
    bomb = pickle.dumps(Payload(marker))
    for content in (bomb, bomb + b"\n", header() + bomb + b"\n", header() + signed(b'{"eta": "' + b"x" * 9 + b'"}')):
        (tmp_path / "run.json.journal").write_bytes(content)
        try:
            assert simulated(tmp_path).complete
        except tc.DomainError:
            (tmp_path / "run.json.journal").unlink()
        path.unlink(missing_ok=True)
    path.write_bytes(bomb)
    with pytest.raises(tc.DomainError):
        tc.load_run(path)
    (tmp_path / "grid.csv.progress").write_bytes(bomb)
    with pytest.raises(tc.DomainError):
        swept(tmp_path)
    assert not marker.exists()
