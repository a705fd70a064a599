"""``theorycalc completion``: a script that teaches a shell the commands, options and names."""

from __future__ import annotations

from theorycalc.cli.declare import argument, command
from theorycalc.cli.options import Arguments
from theorycalc.cli.parsing import commands_of
from theorycalc.errors import ArgumentError, one_of

SHELLS = ("bash", "zsh", "fish")


@command(
    "completion",
    "Print a script for bash, zsh or fish that completes commands, options and their values.",
    """\
  theorycalc completion bash
  theorycalc completion zsh
  theorycalc completion fish

bash: save it as ~/.local/share/bash-completion/completions/theorycalc, or run eval "$(theorycalc completion bash)"
zsh:  save it as _theorycalc in a folder of $fpath
fish: save it as ~/.config/fish/completions/theorycalc.fish
""",
    argument("shell", help="bash, zsh or fish"),
    spends=False,
)
def _completion(options: Arguments) -> str:
    from theorycalc.cli import parser as all_commands

    try:
        import shtab
    except ImportError:
        raise ArgumentError("completion needs shtab: pip install 'theorycalc[completion]'") from None
    shell = one_of(options.shell, "shell", SHELLS)
    parser = all_commands()
    for name, described in commands_of(parser).items():
        words = words_of_options(name)
        for action in described.complete_description()._actions:
            if action.metavar == "FILE" or action.dest == "output":
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.dest in words and action.nargs != 0:
                action.choices = words[action.dest]
    return str(shtab.complete(parser, shell=shell))


def words_of_options(command: str) -> dict[str, tuple[str, ...]]:
    """Return the words that each option of a command accepts, keyed by the option's name."""
    from theorycalc.functions.primitives import activation_names
    from theorycalc.model.initialisations import INITIALISATIONS
    from theorycalc.model.parameters import PARAMETERS
    from theorycalc.results.quantities import AFTER
    from theorycalc.results.spectrum import METHODS
    from theorycalc.results.weight_spectrum import WEIGHT_METHODS
    from theorycalc.symbolic.formulas import ENTRIES

    found = {name: tuple(map(str, row.options)) for name, row in PARAMETERS.items() if row.options is not None}
    found |= {"activation": tuple(activation_names()), "by": AFTER, "name": tuple(ENTRIES), "shell": SHELLS}
    found |= {"layers": tuple(INITIALISATIONS)}
    methods = {"spectrum": tuple(map(str, METHODS)), "weights": tuple(map(str, WEIGHT_METHODS))}
    return found | ({"method": methods[command]} if command in methods else {})
