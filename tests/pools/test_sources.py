"""Features from arrays, files and batches: the same rows, in bounded memory, and refusals that name the place."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.errors import ArgumentError, DomainError, TheoryError
from theorycalc.pools.sources import blocks

F = np.random.default_rng(0).standard_normal((30, 4))
Y = np.arange(30.0)


def rows(*given):
    found = list(blocks(*given))
    return np.concatenate([one.features for one in found]), np.concatenate([one.labels for one in found])


def check(found):
    np.testing.assert_array_equal(found[0], F)
    np.testing.assert_array_equal(found[1], Y[:, None])


def test_arrays_batches_and_files_have_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("theorycalc.pools.sources.BLOCK_NUMBERS", 40)  # ten rows
    np.save(tmp_path / "f.npy", F)
    np.save(tmp_path / "y.npy", Y)
    np.savez(tmp_path / "both.npz", features=F, labels=Y)
    np.savez_compressed(tmp_path / "small.npz", features=F, labels=Y)
    np.savez(tmp_path / "columns.npz", features=np.asfortranarray(F), labels=Y)
    check(rows(F, Y))
    check(rows(F.tolist(), Y.tolist()))
    check(rows(((F[i : i + 7], Y[i : i + 7]) for i in range(0, 30, 7)), None))
    check(rows(tmp_path / "f.npy", str(tmp_path / "y.npy")))
    for name in ("both", "small", "columns"):
        check(rows(tmp_path / f"{name}.npz", None))
    assert max(len(one.features) for one in blocks(F, Y)) == 10


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8, bool])
def test_real_numbers_of_every_type(dtype):
    numbers = (F > 0).astype(dtype)
    found = rows(numbers, numbers[:, 0])
    assert found[0].dtype == np.float64
    np.testing.assert_array_equal(found[0], F > 0)


def test_blocks_are_copies():
    kept = F.copy()
    for one in blocks(F, Y):
        one.features[:] = 0
    np.testing.assert_array_equal(F, kept)


NAN = F.copy()
NAN[17, 2] = np.nan


@pytest.mark.parametrize(
    ("given", "words", "argument"),
    [
        ((F[:, 0], Y), "1 dimension;", "F"),
        ((F[None], Y[None]), "3 dimensions", "F"),
        ((F, Y[:7]), r"labels have the shape \(7,\), but features have 30 rows", "y"),
        ((F, Y[:, None, None]), "labels have the shape", "y"),
        ((NAN, Y), "nan in row 17, column 2", "F"),
        ((F, np.where(Y == 3, np.inf, Y)), "inf in row 3, column 0", "y"),
        ((F + 1j, Y), "complex128; real numbers", "F"),
        ((F, Y.astype(object)), "object; real numbers", "y"),
        ((F, ["a"] * 30), "real numbers", "y"),
        (([[1, 2], [3]], [1, 2]), "cannot be made an array", "F"),
        ((F, None), "labels are missing", "y"),
        ((3, None), "labels are missing", "y"),
        (([F, Y], None), "not a pair", "y"),
        (("missing.npz", None), "cannot read missing.npz: No such file", "F"),
        (("missing.npy", Y), "cannot read missing.npy: No such file", "F"),
        (("missing.csv", Y), "separate labels need a .npy file", "F"),
        (("missing.npy", None), "without labels", "y"),
    ],
)
def test_refusals(given, words, argument):
    with pytest.raises(TheoryError, match=words) as caught:
        list(blocks(*given))
    assert caught.value.argument == argument


def test_later_batches_are_numbered_on():
    with pytest.raises(DomainError, match="row 47"):
        list(blocks([(F, Y), (NAN, Y)], None))


def test_hostile_files(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    (tmp_path / "text.npy").write_text("no array")
    np.savez(tmp_path / "names.npz", x=F)
    np.savez(tmp_path / "objects.npz", features=np.array([[{}]], dtype=object), labels=Y)
    np.savez(tmp_path / "pickled.npz", features=F, labels=np.array([{}] * 30, dtype=object))
    np.savez(tmp_path / "short.npz", features=F, labels=Y[:7])
    for name, words in {
        "text.npz": "cannot read",
        "names.npz": "has the arrays x; it needs 'features' and 'labels'",
        "objects.npz": "object; real numbers",
        "pickled.npz": "cannot read",
        "short.npz": r"labels have the shape \(7,\)",
    }.items():
        with pytest.raises(TheoryError, match=words):
            list(blocks(tmp_path / name, None))
    with pytest.raises(ArgumentError, match="cannot read"):
        list(blocks(tmp_path / "text.npy", Y))
