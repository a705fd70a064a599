"""Text with symbols becomes blocks: letters with indices are mathematics."""

from __future__ import annotations

import pytest

from theorycalc.documents.blocks import Math, rich


@pytest.mark.parametrize(
    ("words", "latex"),
    [("c_1 ≠ 0", ["c_{1}"]), ("k! c_k² decays", ["c_{k}"]), ("nothing to set", [])],
)
def test_indices_are_set_and_words_stay_words(words, latex):
    found = rich(words)
    assert [piece.latex for piece in found if isinstance(piece, Math)] == latex
    assert "".join(piece for piece in found if isinstance(piece, str)).strip()
