"""Inputs: seeds that people would write, words, and mixtures of them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from hypothesis import strategies as st

from tests.functions.test_grammar import HOSTILE
from theorycalc.cli import COMMANDS, parser
from theorycalc.cli.parsing import commands_of
from theorycalc.functions.grammar import known_names
from theorycalc.functions.primitives import activation_names, formula_of

CORPUS = Path(__file__).with_name("corpus")
#: What is fuzzed, and the longest input of each in bytes.
KINDS = {"expressions": 120, "numbers": 200, "ranges": 200, "activations": 200, "commands": 600}
_SLOW = ("report", "explore")  # whole examples: a page of pictures, a server
BETWEEN = "\n"  # the arguments of a command line

_OPERATORS = ["+", "-", "*", "/", "**", "^", "(", ")", ",", "<", "<=", ">", ">=", "=", "x", "pi", "e", " ", "()", "(x)"]
_NUMBERS = ["0", "1", "2", "1/2", "-1", "0.1", "1e-3", "1e300", "1e-300", "9" * 20, "1e99999", "1e-99999", "3.", ".5"]
_RANGES = [":", ",", ":log", "0:1:3", "1e-3:10:9:log", "1:2:30", "0.1,0.2", ":10001", ":20:log"]
_VALUES = [
    "relu", "tanh(x + 1)", "H1 + H2/2", "1,1/2", "inf", "none", "1000", "5e1", "grid.csv", "a.json", "a.nc", "p.svg",
    "s.tex", "r.html", "/dev/null", "..", "sphere", "gaussian", "residual", "labels", "literal", "sign", "constant",
    "matrix", "pencil", "dressed", "bash", "Delta", "Lambda", "test_gain", "--", "-x", "=", "\udcff", "\x1b[31m",
]  # fmt: skip


@cache
def words(kind: str) -> tuple[str, ...]:
    """Return the words from which inputs of this kind are made."""
    grammar = [*known_names(), *_OPERATORS, *_NUMBERS]
    found = {"numbers": [*_NUMBERS, *"+-/.eE_ 0123456789"], "ranges": [*_RANGES, *_NUMBERS]}
    if kind == "commands":
        described = [command.complete_description() for command in commands_of(parser()).values()]
        options = {name for command in described for name in command._option_string_actions}
        return (*COMMANDS, *sorted(options), *_VALUES, *_NUMBERS, *_RANGES, *activation_names())
    return tuple(found.get(kind, grammar))


def corpus(kind: str) -> list[str]:
    """Return the inputs of this kind that were findings once."""
    return list(json.loads((CORPUS / f"{kind}.json").read_text(encoding="utf-8")))


@cache
def seeds(kind: str) -> tuple[str, ...]:
    """Return inputs to begin with: what tests, tables and helps of the project have of this kind."""
    formulas = [formula_of(name) for name in activation_names() if name != "threshold"]
    more = {
        "expressions": [*(text for text in HOSTILE if len(text) < KINDS["expressions"]), *formulas],
        "activations": [*activation_names(), "H1 + H2/sqrt(2)", "1, 1/2, 1/3"],
        "numbers": _NUMBERS,
        "ranges": _RANGES,
        "commands": [BETWEEN.join(line) for line in _examples()],
    }
    return tuple(more[kind])


def _examples() -> Iterator[list[str]]:
    """Yield the command lines that helps show and that are quick, with networks as small as the fuzzer runs them.

    First come pictures of every kind that are drawn at once: what writes them imports late.
    """
    for ending in ("svg", "pdf", "png"):
        yield ["coefficients", "relu", "-k", "3", "--plot", f"c.{ending}"]
    for name, command in commands_of(parser()).items():
        text = re.sub(r" \\\n *", " ", command.format_help())
        for line in re.findall(r"^  theorycalc (.*)$", text, re.MULTILINE):
            if name in _SLOW:
                continue
            small = re.sub(r"--n \d+", "--n 40", line).replace("--replicates 20", "--replicates 2")
            yield shlex.split(small.replace("--workers 2", "").partition("  ")[0])
        yield [name, "--help"]


def mixed(kind: str) -> st.SearchStrategy[str]:
    """Return a strategy for inputs: words, and pieces of seeds, one after the other."""
    between = BETWEEN if kind == "commands" else ""
    parts = [text.split(between) if between else re.findall(r"\w+|\W", text) for text in seeds(kind)]
    ends = st.integers(0, max(map(len, parts)))
    pieces = st.builds(lambda found, i, j: found[min(i, j) : max(i, j)], st.sampled_from(parts), ends, ends)
    word = st.sampled_from(words(kind)).map(lambda word: [word])
    whole = st.sampled_from(parts)
    return st.lists(whole | pieces | word, min_size=1, max_size=5).map(lambda found: between.join(chain(*found)))
