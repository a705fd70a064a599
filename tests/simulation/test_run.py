"""A run: its draws, its rows, and the file that holds it."""

from __future__ import annotations

import contextlib
import json
import math
import os
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.runs import PROBLEM, SMALL, VALUES
from theorycalc.results.quantities import TRAINING
from theorycalc.simulation.settings import read_settings


@pytest.fixture(scope="module")
def run():
    return tc.simulate(PROBLEM, **SMALL, ridge=[0.1, 1], traces=True)


def test_draws_are_flat_and_complete(run):
    assert run.complete
    assert run.problem.phi == run.settings.problem.phi
    assert [(row["cell"], row["replicate"], row["ridge"]) for row in run.draws] == [
        (cell, index, ridge) for cell in (0, 1) for index in range(4) for ridge in (0.1, 1.0)
    ]
    for row in run.draws:
        assert row["eta"] == 30 ** row["alpha"]
        assert all(math.isfinite(row[name]) for name in (*VALUES, "m1", "m2"))
        assert row["train_gain"] == row["train_loss_initial"] - row["train_loss"]


def test_rows_have_means_and_paired_errors(run):
    assert isinstance(run.rows, tuple)
    assert [(row["cell"], row["ridge"], row["replicates"]) for row in run.rows] == [
        (cell, ridge, 4) for cell in (0, 1) for ridge in (0.1, 1.0)
    ]
    draws = [row for row in run.draws if row["cell"] == 1 and row["ridge"] == 0.1]
    gains = np.array([row["test_loss_initial"] - row["test_loss"] for row in draws])
    shown = run.rows[2]
    for name in (*VALUES, "m1", "m2"):
        values = [row[name] for row in draws]
        assert shown[name] == pytest.approx(np.mean(values), rel=1e-14)
        assert shown[f"{name}_se"] == pytest.approx(np.std(values, ddof=1) / 2, rel=1e-12)
    assert shown["test_gain"] == pytest.approx(gains.mean(), rel=1e-14)
    assert shown["test_gain_se"] == pytest.approx(np.std(gains, ddof=1) / 2, rel=1e-12)
    unpaired = math.hypot(shown["test_loss_initial_se"], shown["test_loss_se"])
    assert shown["test_gain_se"] < unpaired  # common random numbers


def number_under(heading: str, text: str) -> float:
    """The first number in a column of a table."""
    _, heads, first, *_ = text.splitlines()
    return float(first[heads.index(heading) :].split()[0])


def test_a_run_is_shown(run):
    text = repr(run)
    assert text.startswith("Run of n = 30, d = 15, N = 23, seed 5: 4 of 4 replicates")
    assert len(text.splitlines()) == 7
    for shown in (text, run._repr_html_()):
        assert TRAINING in shown
        assert run.rows[0]["train_error"] == pytest.approx(number_under("training error", text), abs=1e-3)
    assert "<th>test gain</th>" in run._repr_html_()
    html = replace(run, notes=("<script>",))._repr_html_()
    assert "<script>" not in html


def test_a_saved_run_comes_back(run, tmp_path):
    run.save(tmp_path / "run.json")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    again = tc.load_run(tmp_path / "run.json")
    assert again == run
    assert again.to_dict() == run.to_dict()
    assert again.provenance["blas_threads"] == 1


def test_runs_compare_by_value(run):
    assert run == tc.simulate(PROBLEM, **SMALL, ridge=[0.1, 1], traces=True)
    assert run != tc.simulate(PROBLEM, **SMALL | {"seed": 6}, ridge=[0.1, 1], traces=True)
    assert run != replace(run, records=run.records[1:])
    assert run != replace(run, notes=("a note",))
    assert run != run.records


def changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_a_digit_that_changed_is_not_read(run, tmp_path):
    path = tmp_path / "run.json"
    run.save(path)
    good = path.read_bytes()
    digit = good.index(b'"test_gain": ') + 20
    path.write_bytes(changed(good, digit))
    with pytest.raises(tc.DomainError, match="is not a run that can be read: it was changed after it was written"):
        tc.load_run(path)


def test_any_byte_that_changed_is_said(run, tmp_path):
    """Of the name of the checksum itself, too: then a note says that it cannot be known; or it was not content."""
    path = tmp_path / "run.json"
    run.save(path)
    good = path.read_bytes()
    places = [*range(0, len(good) - 40, 97), *range(len(good) - 40, len(good))]
    refused = 0
    for at in places:
        path.write_bytes(changed(good, at))
        try:
            again = tc.load_run(path)
        except tc.DomainError:
            refused += 1
        else:
            assert again.records == run.records  # of a float, the 18th digit may be another and the number the same
            assert bool(again.notes) == (0 < at - good.index(b'"crc32"') < 6)
    assert refused >= 0.9 * len(places)


def test_white_space_and_order_are_not_content(run, tmp_path):
    path = tmp_path / "run.json"
    run.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()), indent=2, sort_keys=True))
    assert tc.load_run(path).to_dict() == run.to_dict()


def test_a_file_from_before_there_were_checksums_is_read_with_a_note(run, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run.to_dict()))
    again = tc.load_run(path)
    assert again.records == run.records
    assert again.notes == ("the file has no checksum: it may have been changed",)
    again.save(path)
    assert tc.load_run(path).notes == again.notes  # it is not forgotten


def edited(data: dict, *path, value) -> bytes:
    data = json.loads(json.dumps(data))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data).encode()


def test_bad_run_files_are_refused(run, tmp_path):
    data = run.to_dict()
    good = json.dumps(data).encode()
    contents = {
        b"": "not JSON",
        good[:-100]: "not JSON",
        b"\xff\x00": "not JSON",
        b"[" * 10**6: "nested too deeply",
        b"NaN": "not JSON",
        b"3": "theorycalc_run",
        edited(data, "theorycalc_run", value=99): "theorycalc_run",
        edited(data, "settings", value="x"): "settings",
        edited(data, "settings", "n", value=10**12): "d=15 contradicts",
        edited(data, "settings", "problem", value=[]): "problem",
        edited(data, "settings", "problem", "activation", "text", value="__import__('os')"): "not known",
        edited(data, "records", value={}): "records",
        edited(data, "records", 3, "alpha", value=7): "record 3: its step alpha=7 is not one of the settings",
        edited(data, "records", 3, "alpha", value="x"): "record 3: its alpha 'x' is not a number",
        edited(data, "records", 3, "eta", value=-1): "record 3: its eta -1 is not a non-negative number",
        edited(data, "settings", "gradient", value="none"): "gradient",
        edited(data, "records", 3, "rows", 0, "test_gain", value=None): "record 3: test_gain",
        edited(data, "records", 3, "replicate", value=0): "record 3: replicate 0 of alpha=0.1 occurs twice",
        edited(data, "records", 3, "replicate", value=9): "record 3: replicate 9 of alpha=0.1",
        edited(data, "numpy", value=[1]): "numpy",
    }
    path = tmp_path / "run.json"
    for content, message in contents.items():
        path.write_bytes(content)
        with pytest.raises(tc.TheoryError) as error:
            tc.load_run(path)
        assert str(error.value).startswith(f"{path} is not a run that can be read"), content[:50]
        assert message in str(error.value)


def test_a_record_without_traces_where_none_were_asked_for():
    plain = tc.simulate(PROBLEM, **SMALL)
    bare = replace(plain, records=tuple({k: v for k, v in r.items() if k != "traces"} for r in plain.records))
    assert bare.rows == plain.rows
    assert bare.draws == plain.draws


def leaves(data, path=()):
    """Every place in nested data."""
    yield path
    if isinstance(data, (dict, list)):
        for key in data if isinstance(data, dict) else range(min(len(data), 2)):
            yield from leaves(data[key], (*path, key))


STRANGE = [None, True, -1, 0.5, 1e300, 10**30, "", "x", "1/0", [], [[]], {}, {"a": 1}]


@pytest.mark.slow
def test_no_value_anywhere_in_a_file_breaks_the_reader(run, tmp_path):
    data = run.to_dict()
    path = tmp_path / "run.json"
    places = [place for place in leaves({name: data[name] for name in ("settings", "records", "notes")}) if place]
    assert len(places) > 60
    for i, place in enumerate(places * 2):  # every place is given two of the values
        path.write_bytes(edited(data, *place, value=STRANGE[i % len(STRANGE)]))
        with contextlib.suppress(tc.TheoryError):  # anything else, a warning included, is a failure
            assert repr(tc.load_run(path))


def test_huge_files_are_not_read(tmp_path):
    path = tmp_path / "run.json"
    with open(path, "wb") as file:
        file.truncate(1 << 40)  # sparse
    with pytest.raises(tc.DomainError, match="run files are read up to"):
        tc.load_run(path)


def test_only_regular_files_are_read_and_written(run, tmp_path):
    """A device or a pipe would be replaced by a file, or waited for."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, tmp_path, "", "a\0b", b"run.json", 3, 3.5, None, []):
        with pytest.raises(tc.ArgumentError, match=r"is a device or a pipe|is a folder|is not the name of a file"):
            run.save(name)
        with pytest.raises(tc.ArgumentError, match="path="):
            tc.load_run(name)
        if name is not None:
            with pytest.raises(tc.ArgumentError, match="output="):
                tc.simulate(PROBLEM, **SMALL, output=name)
    pipe.rename(tmp_path / "run.json.journal")
    with pytest.raises(tc.ArgumentError, match=r"journal .* is a device or a pipe"):
        tc.simulate(PROBLEM, **SMALL, output=tmp_path / "run.json")
    assert (tmp_path / "run.json.journal").is_fifo()
    with pytest.raises(tc.ArgumentError, match="File name too long"):
        tc.simulate(PROBLEM, **SMALL, output="a" * 5000)


def test_a_link_stays_a_link(run, tmp_path):
    link, place = tmp_path / "link.json", tmp_path / "run.json"
    link.symlink_to(place)
    run.save(link)
    assert link.is_symlink()
    assert tc.load_run(place).complete


def test_a_small_machine_may_look_at_a_large_run(tmp_path):
    large = read_settings(PROBLEM, n=10**7, alpha=0.1)
    tc.Run(large, ()).save(tmp_path / "run.json")
    assert tc.load_run(tmp_path / "run.json").settings == large
