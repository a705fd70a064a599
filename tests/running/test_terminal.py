"""Letters are shown as letters, and what stands under or beside them is in its place."""

from __future__ import annotations

import pytest

from theorycalc.errors import ExpressionError
from theorycalc.functions.grammar import parse
from theorycalc.functions.reader import error_at
from theorycalc.results.table import aligned
from theorycalc.running.terminal import width


@pytest.mark.parametrize(
    ("text", "shown", "column", "message"),
    [
        ("φ(x)", "φ(x)", 0, "'φ' (Greek small letter phi) is not understood"),
        ("x + λ", "x + λ", 4, "'λ' (Greek small letter lamda) is not understood"),
        ("х + 1", "х + 1", 0, "'х' (Cyrillic small letter ha) is not understood"),
        ("x²", "x²", 1, "'²' (Superscript two) is not understood"),
        ("2*x + ｘ*φ", "2*x + ｘ*φ", 6, "'ｘ' (Fullwidth latin small letter x)"),
        ("x + 1 − 2", "x + 1 − 2", 6, "'−' (Minus sign) is not understood"),
        ("x + x̃", "x + x̃", 4, "'◌̃' (Combining tilde) is not understood"),
        ("\\phi", "\\phi", 0, "'\\' is not understood"),
        ("x\u202e+1", "x\\u202e+1", 1, "'\\u202e' (Right-to-left override) is not understood"),
        ("٣*x", "\\u0663*x", 0, "'\\u0663' (Arabic-indic digit three) is not understood"),
        ("x\xa0+ 1", "x\\xa0+ 1", 1, "'\\xa0' (No-break space) is not understood"),
        ("x\x00", "x\\x00", 1, "'\\x00' is not understood"),
    ],
)
def test_letters_are_shown_as_letters(text, shown, column, message):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    first, second, caret = str(caught.value).splitlines()
    assert message in first
    assert second == "  " + shown
    assert caret == " " * (2 + column) + "^"


def test_the_caret_knows_how_wide_letters_are():
    error = error_at("ｘ̃ + 漢$", 6, "no")
    assert str(error).splitlines()[2] == "  " + " " * 7 + "^"
    far = error_at("漢" * 100 + "$", 100, "no")
    _, shown, caret = str(far).splitlines()
    assert shown == "  …" + "漢" * 60 + "$"
    assert caret == "  " + " " * 121 + "^"


def test_columns_are_aligned_whatever_the_letters():
    lines = aligned([["φ̃", "1"], ["漢字", "2"], ["ab", "3"]]).splitlines()
    assert [width(line) for line in lines] == [2 + 4 + 2 + 1] * 3
