"""The list of activations in a terminal."""

from __future__ import annotations

import pytest

from theorycalc.results.listing import list_activations


@pytest.mark.parametrize("columns", [72, 80, 100, 140])
def test_the_list_stays_within_the_terminal_and_keeps_its_numbers(columns):
    found = list_activations()
    cut, whole = (text.splitlines() for text in (found.text(width=columns), found.text()))
    assert max(map(len, cut)) <= columns
    numbers = [[line.split()[:6] for line in lines[1:38]] for lines in (cut, whole)]
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) == len(found.rows) == 37
    assert cut[-1].startswith("… cuts a text")
    assert sum("…" in line for line in cut[1:-1]) < len(cut) // 2 or columns < 100


def test_the_list_is_whole_where_there_is_room():
    found = list_activations()
    assert found.text(width=300) == found.text()
    assert "…" not in found.text()
    assert found.to_dict()["rows"][0]["formula"] == "tanh(x)"
    assert repr(found) == found.text()
