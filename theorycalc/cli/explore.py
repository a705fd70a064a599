"""``theorycalc explore``: a local page with sliders."""

from __future__ import annotations

import argparse
import sys

from theorycalc.cli.options import add_parameter, ratios_or_sizes, whole_or_text

_EXAMPLES = """\
examples:
  theorycalc explore
  theorycalc explore --activation "tanh(x + 1)" --teacher "H1 + H2/sqrt(2)" --ridge 0.01 --n 2000
  theorycalc explore --activation tanh --teacher "sin(x)" --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1
  theorycalc explore --port 8765 --no-browser   a fixed port, so that links to the page last; open the address printed

The page is served to this machine only.  Ctrl-C ends it.
"""
_FIELDS = (
    *("activation", "teacher", "phi", "psi", "ridge", "noise", "first_layer", "second_layer", "step_samples"),
    *("gradient", "n", "alpha"),
)


def describe(explore: argparse.ArgumentParser) -> None:
    """Add what the command is for, and its options."""
    explore.description = "Open a page on this machine where staircase, gains, spectrum and formulas follow sliders."
    explore.epilog = _EXAMPLES
    first = explore.add_argument_group("the first values of the page; all can be changed there")
    for name in _FIELDS:
        add_parameter(first, name)
    for name in ("d", "N"):
        add_parameter(first, name, before="with --n, in the place of φ and ψ: ")
    how = explore.add_argument_group("how it is served")
    how.add_argument("--port", default="0", help="the port on 127.0.0.1 (default 0: any that is free)")
    how.add_argument("--no-browser", action="store_true", help="print the address only")
    explore.set_defaults(run=_run, defaults={}, network_of_real_size=False)


def _run(options: argparse.Namespace) -> str:
    import threading

    from theorycalc.explorer.fields import case_of
    from theorycalc.explorer.server import Explorer
    from theorycalc.numbers.exact import whole

    given = {name: getattr(options, name) for name in _FIELDS if getattr(options, name) is not None}
    if options.d is not None or options.N is not None:
        given |= _ratios(options)
    port = whole(whole_or_text(options.port), "port", "a whole number from 0 to 65535", 0, 65535)
    _needs_mathml()
    if given:
        case_of(given)  # says what is wrong before a page is opened
    explorer = Explorer(port)
    address = explorer.opening(given)
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


def _ratios(options: argparse.Namespace) -> dict[str, str]:
    """Return φ and ψ of the sizes, as the page writes them."""
    from fractions import Fraction

    from theorycalc.numbers.exact import whole

    sizes = {name: whole(size, name, "a positive whole number") for name, size in ratios_or_sizes(options).items()}
    return {"phi": str(Fraction(sizes["d"], sizes["n"])), "psi": str(Fraction(sizes["d"], sizes["N"]))}


def _browse(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        print("theorycalc: no browser could be opened; open the address above", file=sys.stderr)


def _needs_mathml() -> None:
    from importlib.util import find_spec

    from theorycalc.errors import ArgumentError

    if find_spec("latex2mathml") is None:
        raise ArgumentError("the explorer shows formulas with latex2mathml: pip install 'theorycalc[explore]'")
