"""Trees: their text is read as the same tree, and their size counts every node."""

from __future__ import annotations

import copy
import pickle

import pytest

from tests.helpers.formulas import NAMES, SMOOTH
from theorycalc.functions.grammar import parse
from theorycalc.functions.tree import brief, is_constant, parts, size


@pytest.mark.parametrize("text", [*SMOOTH, *NAMES])
def test_the_text_of_a_tree_is_read_as_the_same_tree(text):
    tree = parse(text)
    assert parse(str(tree)) == tree
    assert copy.deepcopy(tree) == pickle.loads(pickle.dumps(tree)) == tree
    assert size(tree) == 1 + sum(map(size, parts(tree)))
    assert not is_constant(tree)


def test_a_long_text_is_shortened_where_it_is_shown():
    tree = parse(" + ".join(f"sin({k}*x)" for k in range(1, 60)))
    assert len(brief(tree)) < len(str(tree))
