"""A report is one file that asks for nothing, says everything once computed, and can be made again."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.problems import problem as example
from tests.helpers.processes import finished, started, wait_until
from theorycalc.cli import main, parser
from theorycalc.cli.options import Arguments
from theorycalc.documents.report import command_of, python_of
from theorycalc.results.quantities import with_error

pytestmark = pytest.mark.slow

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps what a test asks for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.references, self.words = [], [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        self.references += [v for k, v in attributes if k in ("href", "xlink:href", "src", "action", "data", "srcset")]
        self.references += [m for v in given.values() for m in re.findall(r"url\(([^)]*)\)", v or "")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"style"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def made():
    return tc.report(PROBLEM, n=200, alpha="3/10")


@pytest.fixture(scope="module")
def run():
    return tc.simulate(PROBLEM, n=100, alpha=[0.3, 0.1], replicates=4, seed=0, spectrum=True)


@pytest.fixture(scope="module")
def simulated(run):
    return tc.report(PROBLEM, run=run)


def check_alone(html):
    """Assert that a page is whole and asks nothing of any server."""
    page = Page(html)
    assert not {"script", "iframe", "object", "embed", "link", "form", "img", "image", "base"} & set(page.tags)
    assert not re.findall(r"\son\w+=", re.sub(r">[^<]*<", "><", html))
    assert len(page.ids) == len(set(page.ids))
    targets = [reference.strip("'\"") for reference in page.references]
    assert all(target.startswith("#") and target[1:] in page.ids for target in targets)
    fetched = re.findall(r"(?:url\(|@import\s)\s*['\"]?([^'\")\s]+)", html)
    assert all(target.startswith("#") for target in fetched)
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", "http://www.w3.org/1998/Math/MathML"}
    assert set(re.findall(r"https?://[^\s\"'<>)]*", html)) <= namespaces
    assert "Content-Security-Policy" in html
    assert "default-src 'none'; style-src 'unsafe-inline'" in html
    return page


def test_a_report_stands_alone(made, simulated):
    for one in (made, simulated):
        page = check_alone(one.html)
        assert page.tags.count("svg") == page.tags.count("figure") >= 6
        assert page.tags.count("math") > 40
        assert len(one.html) < 600_000


def test_a_report_has_what_was_computed(made):
    text = Page(made.html).text
    exact = tc.predict(PROBLEM, alpha="3/10", digits=20)
    for name in ("m1", "m2", "kappa", "rho", "train_gain", "test_gain", "train_loss", "test_loss"):
        assert str(getattr(exact, name)) in text
    assert "enclosed: 20 digits proven" in text
    finite = tc.step(PROBLEM, n=200, alpha="3/10")
    assert f"{finite.test_gain:.6g}" in text
    assert f"{exact.problem.activation.name} learns from 200 samples with 100 inputs" in text
    states = [condition.holds for condition in exact.conditions]
    assert f"{states.count(True)} hold, {states.count(False)} fail" in text
    for condition in exact.conditions:
        assert condition.statement.split("_")[0].split("^")[0].strip()[:12] in text
    for ell in range(7):
        assert f"{tc.predict(PROBLEM, ell=ell).test_gain:.6g}" in text
    for heading in ("Setting", "Conditions", "Coefficients", "Formulas", "Values", "Staircase", "To make this again"):
        assert heading in text


def test_a_simulation_is_shown_with_its_verdicts(simulated, run):
    text = Page(simulated.html).text
    limits = [tc.predict(PROBLEM, alpha=alpha, network="literal") for alpha in (0.3, 0.1)]
    comparison = tc.compare(run, PROBLEM, beside=limits)
    assert repr(comparison).splitlines()[0] in text
    for row in comparison.rows:
        assert f"{row['predicted']:.4g}" in text
        assert with_error(row["observed"], row["standard_error"]) in text
    for row in tc.compare(run).rows:
        assert f"{row['z']:+.1f}" in text
    assert "4 networks for each step, seed 0, n = 100, d = 50, N = 75" in text


def test_a_report_is_the_same_each_time(made):
    assert tc.report(PROBLEM, n=200, alpha="3/10").html == made.html


def test_text_of_a_user_stays_text():
    nasty = "<script>alert(1)</script> & $x$ \" ' ]]> --> url(http://a.b)"
    act = tc.Activation.from_callable(
        lambda x: np.tanh(x + 1), derivative=lambda x: 1 - np.tanh(x + 1) ** 2, name=nasty
    )
    made = tc.report(tc.Problem(act, "H1 + H2/2", "1/2", "2/3", "1/10"), n=100)
    page = Page(made.html)
    assert "script" not in page.tags
    assert "<script" not in made.html
    assert "<script>alert(1)</script>" in page.text
    assert "estimated" in page.text
    assert "No digits are proven, since the function is known by its values only" in page.text
    assert "tc.Problem(activation, teacher='H1 + H2/2'" in page.text
    assert "theorycalc report" not in page.text  # a function cannot be typed


def test_what_cannot_be_shown_is_said():
    act = tc.Activation.from_moments("1/2", "3/10", present=(1, 2))
    made = tc.report(tc.Problem(act, ["1", "1/2"], "1/2", "2/3", "1/10"))
    text = check_alone(made.html).text
    assert "The picture of the coefficients cannot be shown: " in text
    assert "Nothing is expected of a real network: " in text
    assert "--c1 1/2 --c-rest 3/10 --present 1,2 --teacher 1,1/2" in text


def test_a_ridgeless_problem_and_floats_have_reports():
    text = Page(tc.report(tc.Problem("relu", "H1", "1/2", "2/3", 0), n=100, alpha=0.1).html).text
    assert "finite step needs ridge > 0" in text
    text = Page(tc.report(tc.Problem("relu", "H1", 0.5, "2/3", "1/10"), n=100, alpha=0.1).html).text
    assert "No digits are proven, since the problem has binary floats in it" in text


@pytest.mark.parametrize(
    "problem",
    [
        PROBLEM,
        tc.Problem("tanh(x + 1)", "H1 - H2/sqrt(2)", 2, "1/3", "1e-3", first_layer="gaussian", second_layer="sign"),
        tc.Problem("relu", ["-1", "1/2"], "1/2", "2/3", 0.1, step_samples="3/2"),
        tc.Problem("softplus", "H1", n=300, d=100, N=200, ridge="1/10", step_samples=150),
        tc.Problem(tc.Activation.from_moments("1/2", "3/10"), "H1", "1/2", "2/3", "1/10"),
        example("where(x > 1, tanh(x), x)", "sin(x)", noise="1e-3"),
    ],
    ids=lambda problem: problem.activation.name,
)
def test_what_is_typed_again_is_the_same_problem(problem):
    command = command_of(problem, 300, ["1/10"], "residual", None)
    words = shlex.split(command.replace("\\\n", " "))
    assert words[:2] == ["theorycalc", "report"]
    options = parser().parse_args(words[1:], Arguments())
    scope = {}
    code = python_of(problem, 300, ["1/10"], "residual", None).splitlines()
    exec("\n".join(code[:-1]), scope)  # all but the report itself
    assert code[-1] == "tc.report(problem, n=300, alpha='1/10').save(\"report.html\")"
    assert (options.n, options.alpha, options.output) == ("300", "1/10", "report.html")
    for again in (options.problem(), scope["problem"]):
        assert tc.predict(again, ell=1).rows == tc.predict(problem, ell=1).rows
        for name in ("phi", "psi", "first_layer", "second_layer", "step_ratio"):
            assert getattr(again, name) == getattr(problem, name)


def test_a_run_of_ones_own_is_not_said_to_be_the_commands(run):
    assert "--simulate 4" in command_of(PROBLEM, 100, [0.3, 0.1], "residual", run)
    other = tc.simulate(PROBLEM, n=60, alpha=0.1, replicates=2, seed=7)
    assert command_of(PROBLEM, 60, [0.1], "residual", other) is None
    assert "replicates=2, seed=7, …)" in python_of(PROBLEM, 60, [0.1], "residual", other)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tc.report("relu"), "must be a Problem, not str"),
        (lambda: tc.report(PROBLEM, n=0), "n=0 must be a positive whole number"),
        (lambda: tc.report(PROBLEM, alpha="1/2"), "the theorem needs α < 1/2"),
        (lambda: tc.report(PROBLEM, alpha=[]), "alpha is empty"),
        (lambda: tc.report(PROBLEM, alpha="big"), "'big' is not a number"),
        (lambda: tc.report(PROBLEM, run=3), "must be a Run"),
        (lambda: tc.report(PROBLEM, aplha=1), "did you mean 'alpha'"),
    ],
)
def test_bad_calls_say_what_is_wrong(call, message):
    with pytest.raises(tc.TheoryError, match=message):
        call()


def test_runs_that_do_not_fit_are_refused(run):
    with pytest.raises(tc.ArgumentError, match="n=200 contradicts the run, which has n = 100"):
        tc.report(PROBLEM, n=200, run=run)
    with pytest.raises(tc.ArgumentError, match="different problems: noise"):
        tc.report(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), run=run)
    with pytest.raises(tc.ArgumentError, match="say by alpha= which step"):
        tc.report(PROBLEM, run=tc.simulate(PROBLEM, n=60, eta=2, replicates=2))


def test_saving(made, tmp_path):
    assert made.save(tmp_path / "a.html").read_text(encoding="utf-8") == made.html
    for path, message in (
        ("a.pdf", "ends in '.pdf'"),
        (3, "path must be"),
        (tmp_path / "no" / "a.html", "cannot write"),
    ):
        with pytest.raises(tc.ArgumentError, match=message):
            made.save(path)


def test_without_what_draws_or_sets_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tc.ArgumentError, match=r"pip install 'theorycalc\[plots\]'"):
        tc.report(PROBLEM)


COMMAND = ["report", "--activation", "relu", "--teacher", "H1 + H2/2", "--noise", "0.5", "--n", "60"]


def test_the_command_writes_a_report_and_keeps_its_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*COMMAND, "--alpha", "0.3,0.1", "--simulate", "3", "-o", "r.html"]
    assert main(words) == 0
    assert capsys.readouterr().out == "wrote r.html\n"
    first = Path("r.html").read_text(encoding="utf-8")
    check_alone(first)
    assert sorted(os.listdir()) == ["r.html", "r.run.json"]
    assert tc.load_run("r.run.json").settings.replicates == 3
    shown = re.search(r"<pre><code>(theorycalc report .*?)</code></pre>", first, re.DOTALL)[1]
    again = shlex.split(shown.replace("&#x27;", "'").replace("\\\n", " "))
    assert main([*again[1:-1], "r.html"]) == 0
    assert Path("r.html").read_text(encoding="utf-8") == first
    assert main([*COMMAND, "--n", "70", "--simulate", "3", "-o", "r.html"]) == 2
    assert "r.run.json is of another simulation" in capsys.readouterr().err
    assert Path("r.html").read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*COMMAND], "--output"),
        ([*COMMAND, "-o", "r.pdf"], "must end in .html or .htm"),
        ([*COMMAND, "-o", "/no/such/folder/r.html"], "does not exist"),
        ([*COMMAND, "-o", "r.html", "--alpha", "0.25"], "on the boundary 1/4"),
        ([*COMMAND, "-o", "r.html", "--simulate", "1"], "2 or more"),
        ([*COMMAND, "-o", "r.html", "--simulate", "many"], "replicates='many'"),
        ([*COMMAND, "-o", "r.html", "--phi", "0"], "--phi 0 must be positive"),
    ],
)
def test_bad_commands_write_nothing(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert not Path("r.html").exists()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_an_interrupted_simulation_goes_on(tmp_path):
    words = [*COMMAND, "--n", "300", "--simulate", "30", "-o", "r.html"]
    command = [sys.executable, "-m", "theorycalc", *words]
    journal = tmp_path / "r.run.json.journal"
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 3, process)
        process.send_signal(signal.SIGINT)
        message = process.communicate()[1].decode()
    assert process.returncode == 130
    assert "replicates are done" in message
    kept = [json.loads(line) for line in journal.read_bytes().splitlines()[1:]]
    assert len(kept) >= 3
    assert finished(command, cwd=tmp_path).stdout == "wrote r.html\n"
    again = tc.load_run(tmp_path / "r.run.json")
    assert [record["rows"] for record in again.records[: len(kept)]] == [record["rows"] for record in kept]


def test_the_code_on_reports_runs(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=tmp_path)
    check_alone((tmp_path / "report.html").read_text(encoding="utf-8"))


def test_infinite_losses_are_reported():
    """At λ = 0 and N = n: what cannot be drawn is said, and the rest is there."""
    page = tc.report(tc.Problem("relu", "H1 + H2/2", 1, 1, 0)).html
    assert "The picture of the staircase cannot be shown: test_gain is infinite" in page
    assert "nan" not in re.sub("<style>.*?</style>|font[^;]*", "", page, flags=re.S).lower().split()
