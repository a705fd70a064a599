"""``theorycalc simulate`` and ``compare``: simulated networks, or your own measurements, against theory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import theorycalc as tc
from theorycalc.cli.cluster import WORKERS, executor_of
from theorycalc.cli.declare import argument, command, flag, group, output_group, parameter, problem_group
from theorycalc.cli.options import RATIOS, SIZES, Arguments, option_of, whole_or_text, words
from theorycalc.cli.output import Shown, shown
from theorycalc.errors import ArgumentError, DomainError, TheoryError, one_of

#: The options that describe a problem and have no default.
_PROBLEM = ("activation", "c1", "c_rest", "present", "teacher", *SIZES, *RATIOS, "ridge", "layers")
_THEORIES = ("step", "limit", "literal", "none")
_STATUS = {"agree": 0, "differ": 1, "too few draws": 3}
_AGAINST = (
    argument(
        "--against",
        default="step",
        metavar="LIST",
        help="step (default: a network of this size), limit (the theorem), literal (the limit of literal networks) or "
        "none; the first is judged, the others are only shown",
    ),
    "level",
    argument("--ell", help="ℓ of the limits, and of equivalents (default: by the window of each α)"),
)


@command(
    "simulate",
    "Simulate the network of a problem, and compare it with the theory of a network of that size.",
    """\
  theorycalc simulate --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --n 1000 --d 500 --N 750 --ridge 0.1 \\
      --noise 0.5 --replicates 20 --alpha 0.1,0.2,0.3 --workers 2 --output run.json
  the same with --resume continues after an interruption, or adds replicates or steps

Lists are written 0.1,0.2,0.3 and ranges 0.05:0.45:9 (nine values). All steps of a replicate share its draw of data and
weights. Exit status: 0, theory and simulation agree, or nothing is compared; 1, they differ; 3, too few draws to tell;
2, the input was bad.
""",
    problem_group(network=True),
    group(
        "the simulation (--ridge may be a list)",
        parameter("alpha", after=": one value, a list or a range; or"),
        parameter("eta", after=": one value, a list or a range"),
        *("replicates", "seed", "input_law", "equivalent"),
        flag("--reuse-batch", "take all of --steps on the first batch, which can be simulated, but not predicted"),
        flag("--spectrum", "record eigenvalues, spikes and alignments, and singular values of the weights"),
        "gradient",
    ),
    group("the theory that it is compared with", *_AGAINST),
    group(
        "where it is computed and kept",
        *WORKERS,
        argument("--output", metavar="FILE", help="save the run, with a journal next to it until it is complete"),
        flag("--resume", "continue the journal, or the run, of --output"),
    ),
    output_group("a row for each step, model, ridge and quantity", "theory against simulation"),
)
def _simulate(options: Arguments) -> Shown:
    from theorycalc.model.spikes import read_ell

    problem, lists = options.problem_and_lists("ridge")
    steps: dict[str, Any] = dict(options.numbers("alpha", "eta"))
    models, ell = words(options.equivalent), whole_or_text(options.ell)
    if ell is not None:
        read_ell(ell)  # refused before any work
    against = _theories_named(options)
    if options.plot is not None and "none" in against:
        raise ArgumentError("--plot draws theory against simulation: it needs --against")
    if "alpha" not in steps and ell is None and {"limit", "literal"} & set(against):
        raise ArgumentError(f"--against {options.against}: a step given by --eta is in no window; give --ell, too")
    with executor_of(options) as (executor, workers):
        run = tc.simulate(
            problem,
            **options.network_sizes(),
            **steps,
            ridge=lists.get("ridge", [problem.ridge]),
            **options.wholes("replicates", "seed"),
            **options.given("gradient", "input_law", "reuse_batch", "spectrum", "output", "resume"),
            equivalent=models,
            ell=ell if options.spectrum or models != ["network"] else None,
            workers=workers,
            executor=executor,
        )
    return _run_shown(run, options)


def _run_shown(run: tc.Run, options: Arguments) -> Shown:
    """Return a run with its comparison, or with the reason why it has none."""
    from theorycalc.comparison.verdict import comparison_rows

    comparison, notes = None, []
    try:
        comparison = _compared(run, run.problem, options)
    except TheoryError as error:
        notes = [f"nothing is compared: {error}"]

    def text(full: bool) -> str:
        parts = [run.table(full).text(), *([] if comparison is None else [comparison.table(full).text()])]
        return "\n".join([*parts, *(f"  note  {note}" for note in notes)])

    return Shown(
        lambda: {
            "inputs": run.settings.problem.to_dict(),
            "settings": {name: value for name, value in run.settings.to_dict().items() if name != "problem"},
            "rows": run.rows,
            "comparison": None if comparison is None else comparison.to_dict(),
            "notes": [*run.notes, *notes],
        },
        lambda: comparison_rows(run.rows, comparison),
        text,
        None if comparison is None else comparison.plot,
        0 if comparison is None else _STATUS[comparison.verdict],
    )


@command(
    "compare",
    "Compare measured losses and gains, or a saved run, with theory, by standard errors.",
    """\
  theorycalc compare measured.csv --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1
  theorycalc compare run.json --against step,limit

A file of measurements is CSV with columns eta or alpha, ridge (if there are several), and any of train_loss_initial,
test_loss_initial, train_gain, test_gain, train_loss, test_loss, train_error_initial, train_error, and where labels are
corrupted test_loss_clean_initial, test_gain_clean, test_loss_clean, and where they are ±1 error_rate_initial,
error_rate, error_rate_gain. Standard errors stand in columns NAME_se, with the number of draws as replicates; without
them several rows of a step are its draws.
A run that simulate saved knows its own problem. Of several theories in --against the first is judged.

Exit status: 0, they agree; 1, they differ; 3, too few draws to tell; 2, the input was bad.
""",
    argument("observed", metavar="FILE", help="measurements as .csv, or a run that simulate saved"),
    problem_group(optional=True),
    group("the theory", *_AGAINST, "gradient"),
    output_group("a row for each step, ridge and quantity", "theory against observation"),
)
def _compare(options: Arguments) -> Shown:
    observed: tc.Run | str = options.observed
    if options.observed.lower().endswith(".json"):
        described = [option_of(name) for name, value in options.given(*_PROBLEM).items() if value is not None]
        if described:
            raise ArgumentError(f"a saved run knows its own problem: leave out {' and '.join(described)}")
        observed = tc.load_run(options.observed)
        problem = observed.problem
    elif options.teacher is None or options.ridge is None:
        reason = "measurements need the problem they are of"
        raise ArgumentError(f"{reason}: --activation, --teacher, --n, --d, --N, --ridge")
    else:
        problem = options.problem()
    comparison = _compared(observed, problem, options)
    if comparison is None:
        raise ArgumentError("--against none leaves nothing to compare with")
    return shown(comparison, _STATUS[comparison.verdict])


def _theories_named(options: Arguments) -> list[str]:
    return [one_of(word, "against", _THEORIES) for word in words(options.against)]


def _compared(observed: tc.Run | str, problem: tc.Problem, options: Arguments) -> tc.Comparison | None:
    """Return the comparison that --against asks for, or None for "none"."""
    from theorycalc.numbers.exact import read_rational

    named = _theories_named(options)
    if "none" in named:
        return None
    (first, notes), *others = [_theories(word, problem, observed, options) for word in named]
    beside = [one for listed, _ in others for one in listed]
    found = tc.compare(observed, first, beside=beside, level=float(read_rational(options.level, "level")))
    unknown = (*found.notes, *notes, *(note for _, why in others for note in why))
    return dataclasses.replace(found, notes=tuple(dict.fromkeys(unknown)))


def _theories(
    word: str, problem: tc.Problem, observed: tc.Run | str, options: Arguments
) -> tuple[Sequence[tc.Problem | tc.FiniteStep | tc.Prediction | tc.ErrorRate], list[str]]:
    """Return the finite-step theory, or the limits of the observed windows, and notes on missing predictions."""
    from theorycalc.comparison.finite_theories import finite_theories, has_rates, rates_or_note
    from theorycalc.comparison.measurements import read_measurements
    from theorycalc.results.table import number_or_none

    rows = observed.rows if isinstance(observed, tc.Run) else read_measurements(observed)[0]
    if word == "step":
        if isinstance(observed, tc.Run) or problem.n is None:
            return [problem], []
        return finite_theories(problem, None, rows, options.gradient)
    how: Any = {"network": "theorem"} if word == "limit" else {"network": "literal", "gradient": options.gradient}
    found, notes, reasons = [], [], []
    if options.ell is not None:
        found.append(tc.predict(problem, ell=whole_or_text(options.ell), **how))
    for alpha in dict.fromkeys(number_or_none(row, "alpha") for row in rows) if options.ell is None else ():
        try:
            if alpha is None:
                raise DomainError("a step given by η is in no window; give --ell for the ℓ of the limit")
            found.append(tc.predict(problem, alpha=alpha, **how))
        except DomainError as error:
            reasons.append(str(error))
    if not found:
        raise DomainError(f"--against {word}: {reasons[0]}")
    rates: list[tc.ErrorRate] = []
    for one in found if has_rates(rows) else ():
        known, why = rates_or_note(problem, ell=one.ell, **how)
        rates += [dataclasses.replace(rate, alpha=one.alpha) for rate in known]  # of this step alone
        notes += why
    return [*found, *rates], notes
