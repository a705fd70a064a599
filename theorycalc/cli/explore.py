"""``theorycalc explore``: a local page with sliders."""

from __future__ import annotations

import argparse
import sys

from theorycalc.cli.declare import Adding, argument, command, flag, group, parameter
from theorycalc.cli.options import Arguments, option_of, whole_or_text
from theorycalc.errors import ArgumentError
from theorycalc.explorer.fields import FIELDS, YES_OR_NO, case_of, opening_values
from theorycalc.model.parameters import FLAGS, PARAMETERS


def _field(name: str) -> Adding:
    """Return the option for a field; a flag can be switched on or off, and is None if not given."""
    row = PARAMETERS[name]
    if name in FLAGS:
        text = f"{row.help} (default: {YES_OR_NO[bool(row.default)]})"
        return argument(option_of(name), action=argparse.BooleanOptionalAction, default=None, help=text)
    example = f"; {FIELDS[name]} in the example" if row.default is not None and str(row.default) != FIELDS[name] else ""
    usual = FIELDS[name] or None if row.default is None else row.default
    return parameter(name, default=usual, later=True, after=example)


@command(
    "explore",
    "Open a page on this machine where staircase, gains, spectrum and formulas follow sliders.",
    """\
  theorycalc explore
  theorycalc explore --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --ridge 0.01 --n 2000
  theorycalc explore --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20
  theorycalc explore --port 8765 --no-browser   a fixed port, so that links to the page last; open the address printed

The page is served to this machine only.  Ctrl-C ends it.
""",
    group(
        "the first values of the page; all can be changed there.  Without any of the problem, it opens with an example",
        *(_field(name) for name in FIELDS),
        *(parameter(name, before="with --n, in place of φ and ψ: ") for name in ("d", "N")),
    ),
    group(
        "how it is served",
        argument("--port", default="0", help="the port on 127.0.0.1 (default 0: any that is free)"),
        flag("--no-browser", "print the address only"),
    ),
    spends=False,
)
def _explore(options: Arguments) -> str:
    import threading
    from importlib.util import find_spec

    from theorycalc.explorer.server import Explorer
    from theorycalc.numbers.exact import whole

    given = {name: value for name, value in options.given(*FIELDS).items() if value is not None}
    first = {name: YES_OR_NO[value] if isinstance(value, bool) else value for name, value in given.items()}
    if options.d is not None or options.N is not None:
        first |= _ratios(options)
    if {"alpha", "eta"} <= first.keys():
        raise ArgumentError("give --alpha or --eta, not both", argument="eta")
    first = opening_values(first)
    port = whole(whole_or_text(options.port), "port", "a whole number from 0 to 65535", 0, 65535)
    if find_spec("latex2mathml") is None:
        raise ArgumentError("the explorer shows formulas with latex2mathml: pip install 'theorycalc[explore]'")
    if first:
        case_of(first)  # raises the error of a bad value before a page is opened
    explorer = Explorer(port)
    address = explorer.opening(first)
    try:
        explorer.warm()
        print(f"The explorer is at\n  {address}\nfor this machine only. Ctrl-C ends it.", flush=True)
        if not options.no_browser:
            threading.Thread(target=_browse, args=(address,), daemon=True).start()  # a browser may wait for the page
        explorer.serve_forever()
    except KeyboardInterrupt:
        return "\nThe explorer has ended."
    finally:
        explorer.server_close()
    return ""


def _ratios(options: Arguments) -> dict[str, str]:
    """Return φ and ψ for the given sizes, as the page writes them."""
    from fractions import Fraction

    from theorycalc.numbers.exact import whole

    sizes = {name: whole(size, name, "a positive whole number") for name, size in options.ratios_or_sizes().items()}
    return {"phi": str(Fraction(sizes["d"], sizes["n"])), "psi": str(Fraction(sizes["d"], sizes["N"]))}


def _browse(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        print("theorycalc: no browser could be opened; open the address above", file=sys.stderr)
