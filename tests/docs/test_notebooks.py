"""Every notebook runs, shows what its file shows, and keeps the house rules; and the judges of this notice."""

from __future__ import annotations

import ast
import copy
import json
import re

import pytest
from nbformat import v4

from docs._ext import notebooks as pages
from tests import notebooks
from tests.helpers.docs_site import anchors_of
from tests.notebooks import FOLDER, NOTEBOOKS, ROOT, differences, read, run, same, text_of, tidied

FIGURE = '<svg xmlns="http://www.w3.org/2000/svg"/>\n'

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def small(**data: str):
    """Return a notebook of one cell whose output has these forms."""
    output = v4.new_output("execute_result", data={kind.replace("_", "/"): text for kind, text in data.items()})
    cells = [v4.new_markdown_cell("# A title", id="title"), v4.new_code_cell("1 + 1", id="sum", outputs=[output])]
    return v4.new_notebook(cells=cells)


@pytest.mark.slow
@each_notebook
def test_a_notebook_shows_what_it_computes(path, tmp_path):
    assert differences(read(path), run(path, tmp_path)) == []


@each_notebook
def test_a_notebook_is_a_story_that_anybody_can_run(path):
    """A title first and hints last, six to twelve steps, public names, no warnings, and figures with words."""
    stored = read(path)
    texts = [cell.source for cell in stored.cells if cell.cell_type == "markdown"]
    programs = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert stored.cells[0].source.startswith("# ")
    assert texts[-1].startswith("## To change\n")
    assert [text for text in texts if text.startswith("# ")] == texts[:1]
    assert 6 <= len(programs) <= 12
    for cell in programs:
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "theorycalc" not in ast.unparse(node) or ast.unparse(node) == "import theorycalc as tc"
            if isinstance(node, ast.Attribute):
                assert not node.attr.startswith("_") or node.attr == "_asdict", ast.unparse(node)
        assert [output.text for output in cell.outputs if output.get("name") == "stderr"] == []
        figures = [kind for output in cell.outputs for kind in output.get("data", ()) if kind.startswith("image/")]
        assert len(figures) <= 1
        assert bool(figures) == ("alt" in cell.metadata)


@each_notebook
def test_a_file_is_small_and_says_nothing_of_who_made_it(path):
    text = path.read_text(encoding="utf-8")
    assert text == text_of(tidied(read(path)))
    assert not re.search(r"(?<![\w.])/(home|root|tmp|usr|work|Users)/|0x[0-9a-f]{6}", text)
    for cell in read(path).cells:
        for output in cell.get("outputs", ()):
            assert all(len(str(content)) < 100_000 for content in output.get("data", {}).values())


@each_notebook
def test_links_of_a_notebook_lead_somewhere(path):
    """Also where the code is hosted and the documentation not built."""
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            for target, anchor in re.findall(r"\]\((?!\w+:)([^)#]*)(#[^)]*)?\)", cell.source):
                file = (path.parent / target).resolve()
                assert file.exists() or file.is_relative_to(ROOT / "docs" / "examples"), target
                assert not anchor or anchor[1:] in anchors_of(file), (target, anchor)


def test_every_notebook_is_on_the_index():
    text = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\((\w+)\.ipynb\)", text)) == [path.stem for path in NOTEBOOKS]
    assert sorted(re.findall(r"^(\w+)$", text.rpartition(":hidden:")[2], re.MULTILINE)) == [p.stem for p in NOTEBOOKS]


def test_numbers_are_compared_to_the_digits_shown():
    assert same("test loss 0.0931", "test loss 0.0932")
    assert not same("test loss 0.0931", "test loss 0.0933")
    assert same("1.8e+03", "1.9e+03")
    assert not same("1.8e+03", "2.0e+03")
    assert same("0.12345678901234567", "0.12345678901234522")
    assert not same("30 runs", "31 runs")
    assert not same("test loss 0.1", "train loss 0.1")
    assert not same("0.1", "0.1 and 0.2")
    assert same("rounding 4e-16", "rounding 1e-15")
    digits = "0.40251258235030962271288031970023286033675814978448"
    assert not same(digits, digits[:-1] + "9")


def test_an_output_that_changed_is_noticed():
    stored = small(text_plain="0.123")
    fresh = copy.deepcopy(stored)
    assert differences(stored, fresh) == []
    fresh.cells[1].outputs[0].data["text/plain"] = "0.125"
    assert differences(stored, fresh) == ["cell 2, text/plain:\n0.123\nfound:\n0.125"]
    fresh.cells[1].outputs = []
    assert differences(stored, fresh) == ["cell 2: shows ['text/plain'], found []"]


def test_a_file_keeps_what_a_reader_sees():
    made = small(text_html="<b>2</b>", text_plain="2")
    made.metadata = {"kernelspec": {"display_name": "mine", "name": "mine"}, "widgets": {}}
    made.cells[1].metadata = {"alt": "two", "execution": {"iopub.busy": "2026-01-01"}}
    tidy = tidied(made)
    assert tidy.cells[1].outputs[0].data == {"text/html": "<b>2</b>"}
    assert tidy.cells[1].metadata == {"alt": "two"}
    assert tidy.metadata.kernelspec.name == "python3"
    assert text_of(tidied(tidy)) == text_of(tidy)


def test_an_unknown_notebook_is_an_error():
    with pytest.raises(SystemExit, match="no such notebook: nothing"):
        notebooks.main(["nothing"])


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"text_plain": "2", "text_html": "<b>2</b>"}, "```{raw} html\n<b>2</b>\n```"),
        ({"text_plain": "2", "text_latex": r"$\displaystyle \frac{1}{2}$"}, "```{math}\n\\frac{1}{2}\n```"),
        ({"text_plain": "a ``` b"}, "````text\na ``` b\n````"),
    ],
)
def test_a_page_shows_the_richest_form(data, shown, tmp_path):
    text = pages.page(small(**data), FOLDER / "a.ipynb", tmp_path)
    assert f"::::{{container}} output\n\n{shown}\n\n::::" in text
    assert text.startswith("# A title\n\n{download}`Download this notebook <a.ipynb>`")
    assert "```python\n1 + 1\n```" in text


def test_a_figure_is_a_file_with_words(tmp_path):
    made = small(**{"image_svg+xml": FIGURE})
    with pytest.raises(pages.SphinxError, match=r"a\.ipynb, cell 2: a figure needs words, 'alt' in the metadata"):
        pages.page(made, tmp_path / "a.ipynb", tmp_path)
    made.cells[1].metadata["alt"] = "an empty figure"
    assert "![an empty figure](a-2.svg)" in pages.page(made, tmp_path / "a.ipynb", tmp_path)
    assert (tmp_path / "a-2.svg").read_text() == FIGURE


def test_streams_and_errors_are_text(tmp_path):
    made = json.loads(text_of(small(text_plain="2")))
    made["cells"][1]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []},
    ]
    text = pages.page(made, FOLDER / "a.ipynb", tmp_path)
    assert "```text\na\nb\n```\n\n```text\nValueError: no\n```" in text


def test_what_no_page_can_show_is_an_error(tmp_path):
    with pytest.raises(pages.SphinxError, match="no page shows application/pdf"):
        pages.page(small(application_pdf="x"), FOLDER / "a.ipynb", tmp_path)
