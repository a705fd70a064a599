"""The arguments of public functions: documented from the table of parameters, and explained to callers who err.

A docstring in the source describes the parameters that are particular to its function; ``help()`` and the documentation
also show the entries of the table.
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Iterable, Mapping
from textwrap import dedent, wrap
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from theorycalc.errors import ArgumentError, spelled, suggestion
from theorycalc.model.parameters import PARAMETERS, SIZE, Parameter
from theorycalc.numbers.overflow import within_float64

if TYPE_CHECKING:
    import inspect

F = TypeVar("F", bound=Callable[..., object])
C = TypeVar("C", bound=type)
P = ParamSpec("P")
R = TypeVar("R")

_KEYWORDS = 0x08  # the flag of a function that takes any keywords
_WIDTH = 108  # characters of a line, without its margin
_HEADING = "\n\nParameters\n----------\n"
_FOLLOWS = re.compile(r"\s*^(?:Returns|Raises|Examples|>>>)", re.MULTILINE)  # what comes behind the parameters
_EXAMPLES = re.compile(r"\s*^(?:Examples|Notes|>>>)", re.MULTILINE)  # what comes behind the errors
_ERRORS = "An argument is missing or out of its range."
_TYPES = {"NumberLike": "number", "NumbersLike": "number or array", "Window": 'int or "inf"'}
_RESULTS = {
    "Scalar": "Fraction, float or sympy expression, exact where the arguments are",
    "Figure": "matplotlib.figure.Figure",
}

#: Arguments that functions share, and that are no parameters of the theory.
_OF_METHODS = {
    row.name: row
    for row in (
        Parameter("problem", "network and its data"),
        Parameter("ax", "axes of matplotlib to draw into", more="by default, those of a new figure"),
        Parameter("style", "properties of the points or curves, such as ``color``"),
        Parameter("full", "every row, with all digits of its numbers", more="otherwise a summary"),
        Parameter("x", "points, in float64"),
        Parameter("scale", "factor of the weights"),
        Parameter("bias", "bias of the neuron"),
        Parameter("place", "place of an observation: its problem, sizes, step and ridges"),
        Parameter("other", "activation to compare with"),
        Parameter("coefficients", "coefficients c_⋆1, c_⋆2, … of the teacher"),
        Parameter("second_moment", "mean square of the labels, without noise"),
        Parameter("mean", "mean of the labels"),
        Parameter(
            "covariance", "covariance of labels of inputs with correlation t, a function of a number system and t"
        ),
    )
}
_DESCRIBED = {**_OF_METHODS, **PARAMETERS}

_OF_LOSSES = "; with MSELoss() η = 2·lr (tc.conventions.eta_from converts other losses)"
_PENALTIES = " (tc.conventions.ridge_from_decay converts an optimiser's weight decay, tc.ridge_from other penalties)"

#: Words of other libraries, their names here (the first means the same), a remark, and a function that takes them.
_ELSEWHERE = (
    ("lr learning_rate", ("eta", "alpha"), _OF_LOSSES, "step"),
    ("step_size eta", ("eta", "alpha"), "", "step"),
    ("lam lambda_ lamb lmbda reg regularization weight_decay l2", ("ridge",), _PENALTIES, "Problem"),
    ("alpha", ("ridge",), " (α, the exponent of the step, is for predict() and step())", "Problem"),
    ("epochs steps n_steps num_steps iterations", ("steps",), "", "Problem"),
    ("width hidden hidden_size n_hidden n_neurons", ("N", "psi"), "", "Problem"),
    ("samples n_samples num_samples", ("n", "phi"), "", "step"),
    ("dim dimension input_dim n_inputs n_features", ("d", "phi"), "", "Problem"),
    ("sigma noise_std noise_level", ("noise",), "", "Problem"),
    ("corrupt corruption label_noise", ("corrupt_fit", "corrupt_step"), "", "Problem"),
    ("initial_output", ("gradient",), "", "step"),
    ("seed random_state random_seed", ("seed",), "", "simulate"),
    ("n_jobs num_workers", ("workers",), "", "simulate"),
    ("trials n_trials repeats", ("replicates",), "", "simulate"),
)


def documented(function: F, own: Mapping[str, str] | None = None, errors: str = "") -> F:
    """Add to a docstring the parameters that it leaves out, the type of the result, and the errors.

    Parameters are described by ``own`` entries, or by the table; ``errors`` are those of wrong arguments.

    >>> @documented
    ... def loss(ridge: NumberLike, noise: NumberLike = 0) -> float:
    ...     'Return a loss.'
    >>> print(loss.__doc__)
    Return a loss.
    <BLANKLINE>
    Parameters
    ----------
    ridge : number, λ ≥ 0
        Ridge (weight decay); the fit minimises (1/n)‖y − Fa‖² + λ‖a‖².
    noise : number, σ_ε ≥ 0, default 0
        Standard deviation of the label noise.
    <BLANKLINE>
    Returns
    -------
    float
    """
    if function.__doc__ is None:  # Python was started with -OO
        return function
    summary, _, rest = function.__doc__.partition("\n")
    head, heading, section = f"{summary}\n{dedent(rest)}".partition(_HEADING)
    text = section if heading else head
    follows = _FOLLOWS.search(text)
    text, tail = (text.rstrip(), "") if follows is None else (text[: follows.start()], text[follows.start() :])
    head, section = (head, text) if heading else (text, "")
    described = {entry.partition("\n")[0]: entry for entry in re.split(r"\n(?=\S)", section) if entry}
    known = {name for header in described for name in _described(header)}
    names, headers = _headers(function, known | set(own or {}))
    for name, entry in (own or {}).items():
        if name in names and name not in known:
            described[entry.partition("\n")[0]] = entry
    for name, header in headers.items():
        described[header] = "\n    ".join([header, *wrap(_DESCRIBED[name].entry, _WIDTH)])
    if described:
        head += _HEADING + "\n".join(described[header] for header in sorted(described, key=lambda h: _place(h, names)))
    result = function.__annotations__.get("return", "None")
    if "\nReturns\n" not in tail and not isinstance(function, type) and result != "None":
        head += f"\n\nReturns\n-------\n{_RESULTS.get(result, result)}"
    text = head + tail
    if errors and names and "\nRaises\n" not in text:
        examples = _EXAMPLES.search(text)
        end = len(text.rstrip()) if examples is None else examples.start()
        text = f"{text[:end]}\n\nRaises\n------\nTheoryError\n    {errors}{text[end:]}"
    function.__doc__ = text
    return function


def documented_methods(cls: C) -> C:
    """Document the public methods of a class, as :func:`documented` does for functions."""
    for name, value in vars(cls).items():
        found = getattr(value, "__func__", value)  # of a class method
        if isinstance(found, types.FunctionType) and not name.startswith("_"):
            documented(found)
    return cls


def _place(header: str, names: tuple[str, ...]) -> int:
    """Return the place of a header among the arguments of a signature."""
    name = _described(header)[0].lstrip("*")
    return names.index(name) if name in names else len(names)


def _described(line: str) -> list[str]:
    """Return the names described by a line such as ``n, d, N : int, optional``."""
    return [name.strip() for name in line.partition(" : ")[0].split(",")]


def _headers(function: Callable[..., object], known: set[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return all arguments, and the headers of those that only the table describes; importing inspect is slow."""
    made = function.__dict__["__init__"] if isinstance(function, type) else function
    while hasattr(made, "__wrapped__"):
        made = made.__wrapped__
    code, defaults = made.__code__, made.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _KEYWORDS)]
    usual = dict(zip(names[code.co_argcount - len(defaults) :], defaults, strict=False)) | (made.__kwdefaults__ or {})
    kinds, wanted = made.__annotations__, [name for name in names if name in _DESCRIBED and name not in known]
    return names, {name: _header(_DESCRIBED[name], kinds.get(name, ""), usual) for name in wanted}


def _header(parameter: Parameter, annotation: str, usual: dict[str, object]) -> str:
    kinds = [_TYPES.get(kind, kind) for kind in annotation.split(" | ") if kind != "None"]
    if parameter.options is not None:
        kinds = ["{" + ", ".join(f'"{option}"' for option in parameter.options) + "}"]
    default = usual.get(parameter.name, "")
    said = "" if parameter.name not in usual else "optional" if default is None else f"default {_shown(default)}"
    kinds = ["int" if parameter.domain == SIZE and kind == "number" else kind for kind in kinds]
    where = "" if parameter.range == parameter.symbol else parameter.range  # a symbol alone says no more than the name
    return f"{parameter.name} : " + ", ".join(part for part in (" or ".join(kinds), where, said) if part)


def _shown(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else str(default)


def checked_call(
    function: Callable[P, R], own: Mapping[str, str] | None = None, errors: str = _ERRORS
) -> Callable[P, R]:
    """Turn the ``TypeError`` of a call that does not match the signature into an :class:`ArgumentError`.

    Numbers beyond float64 are errors of ours, too: nothing but a ``TheoryError`` leaves a public function.  The
    docstring of the function gets the sections that :func:`documented` adds.

    >>> @checked_call
    ... def area(width, height): return width * height
    >>> area(1, hieght=2)
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: area() has no argument 'hieght'; did you mean 'height'?
    """
    title = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with within_float64(lambda: _given(function, args, kwargs)):
                return function(*args, **kwargs)
        except ArgumentError:  # comes from inside, and says what is wrong
            raise
        except TypeError:
            import inspect  # slow to import, and needed by wrong calls only

            signature = inspect.signature(function)
            for word in kwargs:
                if word not in signature.parameters:
                    hint = called_here(word, signature.parameters)
                    raise ArgumentError(f"{title}() has no argument {word!r}{hint}", argument=word) from None
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                parameters = list(signature.parameters.values())
                left = parameters[len(args) :]
                lacking = (one.name for one in left if one.default is one.empty and one.name not in kwargs)
                reason = f"{title}(): {error}{_by_name(parameters, args)}"
                raise ArgumentError(reason, argument=next(lacking, None)) from None
            raise  # the call fitted: the error comes from inside

    return documented(wrapper, own, errors)


def _given(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """Return the arguments of a call by name, with those of a problem among them."""
    named = {**dict(zip(_headers(function, set())[0], args, strict=False)), **kwargs}
    return {**getattr(named.get("problem"), "__dict__", {}), **named}


def _by_name(parameters: list[inspect.Parameter], args: tuple[object, ...]) -> str:
    """Return a hint if a value is given without the name that it needs, or nothing."""
    named = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    count = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
    if len(args) <= count or not named:
        return ""
    name, value = "eta" if "eta" in named else named[0], args[count]
    return f"; write {name}={value!r}" if isinstance(value, (int, float, str)) else f"; write {name}=…"


def called_here(word: str, parameters: Iterable[str]) -> str:
    """Return a hint: our name for another library's word, or the nearest parameter, or nothing.

    >>> called_here("step_size", ["n", "eta"]), called_here("etta", ["n", "eta"])
    ('; give the size of the step (learning rate) as eta=', "; did you mean 'eta'?")
    """
    known = list(parameters)
    return called_elsewhere(word, known) or suggestion(word, known)


def called_elsewhere(word: str, parameters: Iterable[str]) -> str:
    """Return a hint for another library's word: its name among the parameters, or the function that takes it.

    >>> called_elsewhere("lr", ["phi"])[:51]
    '; give the size of the step (learning rate) as eta='
    """
    known = set(parameters)
    if word == "alpha" and "ell" in known and "ridge" not in known:
        return f"; give the window of the step as {spelled('ell')}, such as ell=tc.window('3/10')"
    for words, names, remark, verb in _ELSEWHERE:
        if word.lower() in words.split():
            here = [name for name in names if name in known]
            shown = " or ".join(
                spelled(name) if name == names[0] else f"{spelled(name)} ({PARAMETERS[name].described})"
                for name in here or names
            )
            taken = "" if here else f", which {verb}() takes"
            return f"; give the {PARAMETERS[names[0]].words} as {shown}{taken}{remark}"
    return ""
