"""The argument parser: argparse with error messages of our own, and commands whose options are added when needed."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from theorycalc.errors import ArgumentError, Spelling, in_python, nearest, spelling, suggestion


def help_width() -> int:
    """Return the width of help texts: COLUMNS, else the terminal's width, else 80, but never more than 110.

    argparse would import shutil for it, and with it the archive formats.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given[:6]) > 0:
        return min(int(given[:6]), 110)
    try:
        return min(os.get_terminal_size(sys.__stdout__.fileno()).columns or 80, 110) if sys.__stdout__ else 80
    except (OSError, ValueError, AttributeError):  # not a terminal
        return 80


def say(text: str) -> None:
    """Print the answer, and raise at once if it cannot be written; a closed pipe ends the output silently."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would complain of the rest at its end
        if not isinstance(error, BrokenPipeError):
            raise ArgumentError(f"the answer cannot be written: {error.strerror}") from None


class _Help(argparse.RawDescriptionHelpFormatter):
    """A help formatter as wide as the terminal, which keeps examples as they were written."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=max(help_width() - 2, 40))

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the longest command: argparse forgets to count its indentation."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        return "X"


class Command(argparse.ArgumentParser):
    """A parser that raises ArgumentErrors, and whose options are added when they are first needed.

    A value that begins with a minus sign needs no equals sign: ``--teacher -1,1/2`` is read as meant.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": _Help, "allow_abbrev": False, **settings})
        self.describe: Callable[[Command], None] | None = None  # adds the options

    def complete_description(self) -> Command:
        """Add the options if that has not happened yet."""
        describe, self.describe = self.describe, None
        if describe is not None:
            describe(self)
        return self

    def format_help(self) -> str:
        """Return the help, with all options."""
        return argparse.ArgumentParser.format_help(self.complete_description())

    def parse_known_args(  # type: ignore[override]  # one signature stands for the overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments, after joining each option to a value that begins with a minus sign."""
        self.complete_description()
        given = list(sys.argv[1:] if args is None else args)
        if self._subparsers is None:
            given = self._joined(given)
            self._refuse_unknown(given)
        else:
            self._refuse_unknown(given[:1])
        found, unknown = super().parse_known_args(given, namespace)
        if unknown:
            self.error(self._not_known(unknown[0]))
        return found, unknown

    def _joined(self, arguments: Sequence[str]) -> list[str]:
        """Write ``--teacher -1,1/2`` as ``--teacher=-1,1/2``: argparse would take -1,1/2 for an option."""
        joined: list[str] = []
        for argument in arguments:
            before = self._option_string_actions.get(joined[-1]) if joined else None
            if (
                before is not None
                and before.nargs in (None, 1)
                and re.match(r"-[^-]", argument)
                and argument not in self._option_string_actions
            ):
                joined[-1] += argument if len(joined[-1]) == 2 else f"={argument}"
            else:
                joined.append(argument)
        return joined

    def _refuse_unknown(self, arguments: Sequence[str]) -> None:
        """Name an unknown option before argparse complains about a missing one."""
        for argument in arguments:
            if argument == "--":
                return
            word = argument.partition("=")[0]
            short = re.match(r"-[^-\s\d.]", argument)  # -k 5 may be written -k5
            known = short[0] if short else word
            if re.match(r"--?[^-\s\d.]", argument) and known not in self._option_string_actions:
                self.error(self._not_known(word))

    def _not_known(self, word: str) -> str:
        printing = re.fullmatch(r".+\.(csv|json)", word)
        if printing and f"--{printing[1]}" in self._option_string_actions:
            return f"{word!r} is one word too many: --{printing[1]} prints; write … --{printing[1]} > {word}"
        if not word.startswith("-"):
            return f"{word!r} is one word too many: put quotes around text with spaces"
        takes_words = self._subparsers is None and any(not action.option_strings for action in self._actions)
        if word in self._option_string_actions:
            return f"{word} stands after --, where there are no options; write it before"
        if takes_words and not word.startswith("--"):
            return f"{word} is not an option of {self.prog}; a formula that begins with - is written after --"
        names = {name.lstrip("-").replace("-", "_"): name for name in self._option_string_actions}
        meant = word.lstrip("-").replace("-", "_")  # as in Python, and without the dashes
        from theorycalc.model.signatures import called_elsewhere  # only for those who mistype

        with spelling(as_options(names)):
            hint = called_elsewhere(meant, names)
        near = nearest(meant, names)
        if not hint and near is not None:
            hint = f"; did you mean {names[near]!r}?"
        return f"{word} is not an option of {self.prog}{hint}"

    def _print_message(self, message: str, file: object = None) -> None:
        say(message.rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        """Raise an ArgumentError that states the mistake in plain words, and the command that explains more."""
        raise ArgumentError(f"{_reworded(message, self)} ({self.prog} --help explains)")


def _reworded(message: str, parser: Command) -> str:
    """Return argparse's message reworded, or unchanged where it is plain enough."""
    if match := re.fullmatch(r"the following arguments are required: (.*)", message):
        missing = match[1]
        if missing == "COMMAND":
            return "a command is missing, such as theorycalc predict or theorycalc demo"
        return f"{missing} {'are' if ', ' in missing else 'is'} missing"
    if match := re.fullmatch(r"argument COMMAND: invalid choice: (['\"])(.*?)\1.*", message, re.DOTALL):
        return f"{match[2]!r} is not a command{suggestion(match[2], commands_of(parser))}"
    if match := re.fullmatch(r"argument (\S+): expected one argument", message):
        return f"{match[1].split('/')[0]} needs a value"
    if match := re.fullmatch(r"argument (\S+): ignored explicit argument '(.*)'", message, re.DOTALL):
        return f"{match[1].split('/')[0]} takes no value; leave ={match[2]} out"
    return message


def as_options(known: Iterable[str]) -> Spelling:
    """Return how messages write arguments that are options of a command, and calls that are commands.

    >>> write = as_options(["network", "exact"])
    >>> write.argument("network", "literal"), write.argument("exact", True), write.argument("kinks", None)
    ('--network literal', '--exact', 'kinks=')
    >>> write.argument("network", ["literal", "theorem"]), write.argument("exact", False)
    ('--network literal,theorem', '--no-exact')
    """
    names = frozenset(known)

    def argument(name: str, value: object) -> str:
        if name not in names:
            return in_python(name, value)
        flag = f"--{name.replace('_', '-')}"
        if value is None or isinstance(value, bool):
            return flag if value is not False else f"--no-{flag.removeprefix('--')}"
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        return f"{flag} {text}" if text.isprintable() and text.split() == [text] else f"{flag} {text!r}"

    return Spelling(argument, lambda name: f"theorycalc {name.replace('_', '-')}")


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Return the names of the options added so far; after parsing, those of the command that runs.

    Arguments without dashes, such as the shell of ``completion``, are not among them.
    """
    actions = (action for command in commands_of(parser).values() for action in command._actions)
    return {action.dest for action in actions if action.option_strings}


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Command]:
    """Return the commands of the main parser by name."""
    found = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(next(found))
