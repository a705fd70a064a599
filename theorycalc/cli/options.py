"""The options given to a command: their text as numbers, lists, sizes and a problem."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import theorycalc as tc
from theorycalc.errors import ArgumentError, one_of

if TYPE_CHECKING:
    from fractions import Fraction

RATIOS = ("phi", "psi")
SIZES = ("n", "d", "N")
_INSTEAD = "give --phi and --psi, or sizes in their place, --n, --d and --N"


class Usual(str):
    """A default that can be told apart from the same text typed on the command line."""

    __slots__ = ()


class Arguments(argparse.Namespace):
    """The options of a command as attributes: text, True or False, or None where an option was not given."""

    defaults: Mapping[str, str] = {}
    network_of_real_size = False  # whether --n may stand beside --phi and --psi

    def given(self, *names: str) -> dict[str, Any]:
        """Return the given options by name, as arguments for a function."""
        return {name: getattr(self, name) for name in names}

    def filled(self, *names: str) -> dict[str, Any]:
        """Return options by name, with the command's default for each one not given."""
        return {name: self.defaults.get(name) if value is None else value for name, value in self.given(*names).items()}

    def wholes(self, *names: str) -> dict[str, Any]:
        """Return options by name, as whole numbers where they are whole."""
        return {name: whole_or_text(getattr(self, name)) for name in names}

    def numbers(self, *names: str) -> dict[str, list[Fraction]]:
        """Return the lists of numbers for those of the named options that are given."""
        return {name: numbers(text, name) for name, text in self.given(*names).items() if text is not None}

    def changed(self, values: Mapping[str, object]) -> Arguments:
        """Return the options with other values."""
        return Arguments(**(vars(self) | dict(values)))

    def allowed(self) -> AbstractContextManager[None]:
        """Return a block with the budget of --budget, or the one there is."""
        if self.budget is None:
            return nullcontext()
        from theorycalc.numbers.exact import parse_number

        return tc.budget(float(parse_number(self.budget, "budget")))

    def with_layers(self) -> Arguments:
        """Return the options with --layers replaced by its scales and laws, which must not be given as well."""
        if self.layers is None:
            return self
        from theorycalc.model.initialisations import INITIALISATIONS, layers_from
        from theorycalc.numbers.exact import spell

        name = one_of(
            self.layers, "layers", INITIALISATIONS, {name: one.words for name, one in INITIALISATIONS.items()}
        )
        if name.startswith("glorot") and (self.d is None or self.N is None):
            raise ArgumentError(f"--layers {name} depends on the sizes: give --n, --d and --N", argument="layers")
        sizes = self.wholes("d", "N") if name.startswith("glorot") else {}
        found = {field: str(spell(value)) for field, value in layers_from(name, **sizes)._asdict().items()}
        given = [option_of(field) for field in found if not isinstance(getattr(self, field), Usual)]
        if given:
            reason = f"--layers {name} sets {_and(given)}, too: leave out one or the other"
            raise ArgumentError(reason, argument="layers")
        return self.changed(found | {"layers": None})

    def problem(self) -> tc.Problem:
        """Return the problem described by the options."""
        from theorycalc.model.parameters import CHANNELS, OPTIONS, SCALES
        from theorycalc.model.reading import teacher_items

        options = self.with_layers()
        for name in (*RATIOS, *SIZES, "ridge", "noise", "steps", *SCALES, *CHANNELS):
            value = getattr(options, name)
            if isinstance(value, str) and re.search("[,:]", value):
                reason = f"{option_of(name)} {value!r}: one value is needed here; theorycalc sweep takes lists of them"
                raise ArgumentError(reason, argument=name)
        return tc.Problem(
            self._activation(),
            teacher=teacher_items(self.teacher) or self.teacher,
            **self.ratios_or_sizes(),
            **self.filled("ridge"),
            **options.given("noise", *(name for name in OPTIONS if name != "steps")),
            **self.wholes("step_samples", "steps"),
        )

    def problem_and_lists(self, *names: str) -> tuple[tc.Problem, dict[str, list[Fraction]]]:
        """Return the problem at the first value of each of these options, and all values of those that have several."""
        values = self.numbers(*names)
        first = self.changed({name: listed[0] for name, listed in values.items()})
        return first.problem(), {name: listed for name, listed in values.items() if len(listed) > 1}

    def ratios_or_sizes(self) -> dict[str, Any]:
        """Return φ and ψ, or n, d and N where these are given without ratios; refuse any other mixture."""
        ratios = [f"--{name}" for name in RATIOS if getattr(self, name) is not None]
        sizes = [f"--{name}" for name in SIZES if getattr(self, name) is not None]
        lacking = [f"--{name}" for name in SIZES if getattr(self, name) is None]
        if not ratios and not lacking:
            return self.wholes(*SIZES)
        if ratios and sizes and not self.network_of_real_size:
            raise ArgumentError(f"{_and(ratios)} beside {_and(sizes)}: {_INSTEAD}")
        if sizes and not ratios and (sizes != ["--n"] or not self.network_of_real_size):
            reason = f"{_and(sizes)} without {_and(lacking)}"
            raise ArgumentError(f"{reason}: give all three sizes, in place of --phi and --psi")
        found = self.filled(*RATIOS)
        missing = [f"--{name}" for name, value in found.items() if value is None]
        if missing:
            raise ArgumentError(f"{_and(missing)} {'is' if len(missing) == 1 else 'are'} missing: {_INSTEAD}")
        return found

    def network_sizes(self) -> dict[str, Any]:
        """Return n, d and N, None for those not given; a command about a network needs n."""
        n = self.filled("n")["n"]
        if n is None:
            raise ArgumentError("--n is missing: give --n with --phi and --psi, or the sizes --n, --d and --N")
        return {"n": whole_or_text(n), **self.wholes("d", "N")}

    def _activation(self) -> tc.Activation:
        by_moments = [self.c1, self.c_rest]
        if self.activation is not None:
            if any(value is not None for value in (*by_moments, self.present)):
                raise ArgumentError("give --activation, or --c1 with --c-rest, not both")
            return tc.Activation.from_text(self.activation)
        if None in by_moments:
            raise ArgumentError("give --activation, or --c1 with --c-rest")
        return tc.Activation.from_moments(self.c1, self.c_rest, present=whole_list(self.present))


def _and(names: list[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def option_of(name: str) -> str:
    """Return the option that sets a parameter.

    >>> option_of("first_layer")
    '--first-layer'
    """
    return f"--{name.replace('_', '-')}"


def whole_or_text(text: str | None) -> Any:
    """Return a whole number if the text is one, else the text, which the library judges.

    >>> whole_or_text("1000"), whole_or_text("1e3"), whole_or_text("2.5"), whole_or_text("inf")
    (1000, 1000, '2.5', 'inf')
    """
    if text is None:
        return None
    if re.fullmatch(r" *-?[0-9]{1,300} *", text):
        return int(text)
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?[eE]\+?[0-9]", text):
        from theorycalc.numbers.exact import parse_number

        number = parse_number(text)
        return int(number) if number.denominator == 1 else text
    return text


def whole_list(text: str | None) -> list[Any] | None:
    """Return a list of whole numbers, such as 1,2,4, or None if there is no text."""
    return None if text is None else [whole_or_text(item) for item in text.split(",")]


def words(text: str) -> list[str]:
    """Return the words in a list such as step,limit."""
    return [word.strip() for word in text.split(",")]


def numbers(text: str, name: str) -> list[Fraction]:
    """Read one number, a list 0.1,0.2 or a range: 0.05:0.45:9 evenly, 1e-3:10:9:log geometrically.

    >>> numbers("0.1:0.3:3,1/2", "alpha")
    [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    """
    from theorycalc.numbers.ranges import read_numbers

    return list(read_numbers(text, name))


def windows(text: str) -> list[Any]:
    """Read one ℓ, a list 0,1,inf or a range 0:6:7; anything but whole numbers is left for the library to judge.

    >>> windows("0:2:3,inf")
    [0, 1, 2, 'inf']
    """
    found: list[Any] = []
    for item in text.split(","):
        if ":" in item:
            found += [int(x) if x.denominator == 1 else str(x) for x in numbers(item, "ell")]
        else:
            found.append(whole_or_text(item.strip()))
    return found
