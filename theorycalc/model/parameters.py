"""The table of parameters, and the only place with their symbols, LaTeX, words, ranges, defaults and options.

The command line, the explorer's page, NetCDF files, plots, the sheet and the docstrings of the public functions read
it.  It imports no heavy module, since ``theorycalc predict --help`` reads it, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from theorycalc.model import enums
from theorycalc.model.enums import Option, Precision, Simulated


class Domain(NamedTuple):
    """The range of a number, and the text written after its symbol."""

    text: str
    zero: bool = False
    negative: bool = False
    most: int | None = None  # the largest value
    small: bool = False  # may be too small for float64 here: it is negligible beside others
    irrational: bool = False  # may be an exact sympy number; others are compared exactly, and must be rational


ABOVE_ZERO = Domain("> 0")
FROM_ZERO = Domain("≥ 0", zero=True)
ANY_NUMBER = Domain("", zero=True, negative=True)
REAL_ABOVE_ZERO, REAL_FROM_ZERO, ANY_REAL = (
    one._replace(irrational=True) for one in (ABOVE_ZERO, FROM_ZERO, ANY_NUMBER)
)
COEFFICIENT = Domain("", negative=True, small=True, irrational=True)  # c_⋆2, c_⋆3, … of a teacher
SIZE = Domain("≥ 1")  # whole numbers
SHARE = Domain("between 0 and 1", zero=True, most=1)


class Parameter(NamedTuple):
    """One parameter: its name in code and files, the paper's symbol, plain words, its range and its default."""

    name: str
    words: str  # a noun phrase, for an axis, a column or a file
    symbol: str = ""
    latex: str = ""
    formula: str = ""  # that defines it
    more: str = ""  # a remark or an example, for help and documentation
    domain: Domain | None = None
    options: type[Option] | None = None
    default: str | int | float | bool | None = None

    @property
    def label(self) -> str:
        """The symbol, its formula, and the words.

        >>> PARAMETERS["phi"].label, PARAMETERS["ridge"].label, PARAMETERS["form"].label
        ('φ = d/n, inputs per sample', 'λ, ridge (weight decay)', 'form of the computation')
        """
        return ", ".join(filter(None, (self._head, self.words)))

    @property
    def described(self) -> str:
        """The words with the formula, for places that show the symbol separately.

        >>> PARAMETERS["phi"].described
        'inputs per sample, d/n'
        """
        return f"{self.words}, {self.formula}" if self.formula else self.words

    @property
    def help(self) -> str:
        """The label with its range, remarks, the options and the default, in one line.

        >>> PARAMETERS["noise"].help, PARAMETERS["form"].help.partition(" or ")[2]
        ('σ_ε ≥ 0, standard deviation of the label noise (default 0)', "matrix (the paper's, with the matrix Ω)")
        """
        return self.helped(self.default)

    def helped(self, default: str | int | float | bool | None, among: Iterable[str] = ()) -> str:
        """Return the help with another default and, where only some options are allowed, only ``among`` them.

        >>> PARAMETERS["method"].helped("pencil", among=("pencil",))
        'method of a finite step: pencil (default: the leading term of each spike, for small steps)'
        """
        meaning = self._with_remarks(", ".join(filter(None, (self.range, self.words))))
        if self.options is not None:
            allowed = tuple(among) or tuple(self.options)
            options = [one for one in self.options if one in allowed]
            return f"{meaning}: {listed(_shown(str(one), one, default) for one in options)}"
        return meaning if default is None or isinstance(default, bool) else f"{meaning} (default {default})"

    @property
    def range(self) -> str:
        """The symbol with its defining formula and its range, as a docstring shows them after the name.

        >>> PARAMETERS["phi"].range, PARAMETERS["form"].range
        ('φ = d/n > 0', '')
        """
        return f"{self._head} {self.domain.text if self.domain else ''}".strip()

    @property
    def entry(self) -> str:
        """The words as a docstring sentence, with the options as they are written in Python."""
        text = self._with_remarks(f"{self.words[0].upper()}{self.words[1:]}")
        if self.options is None:
            return f"{text}."
        words = listed(_shown(f'"{one}"', one, None) for one in self.options)
        return f"{text}: {words}."

    def _with_remarks(self, text: str) -> str:
        return f"{text}; {self.more}" if self.more else text

    @property
    def _head(self) -> str:
        return f"{self.symbol} = {self.formula}" if self.formula else self.symbol


def listed(items: Iterable[str]) -> str:
    """Return items as a list in a sentence.

    >>> listed(["sphere", "gaussian"]), listed("abc")
    ('sphere or gaussian', 'a, b or c')
    """
    *others, last = items
    return f"{', '.join(others)} or {last}" if others else last


def _shown(word: str, option: Option, default: object) -> str:
    return f"{word} ({'default: ' if option == default else ''}{option.meaning})"


_ROWS = (
    Parameter(
        "activation", "activation", "σ", r"\sigma",
        more="a name or formula such as relu, leaky_relu(0.1) or tanh(x + 1)",
    ),
    Parameter(
        "teacher", "teacher", "σ⋆", r"\sigma_{\star}",
        more="a formula such as H1 + H2/2 or, of directions t1 to t4, t1 + t1*t2; or its coefficients c_⋆1, c_⋆2, …",
    ),
    Parameter("phi", "inputs per sample", "φ", r"\phi", "d/n", domain=ABOVE_ZERO),
    Parameter("psi", "inputs per neuron", "ψ", r"\psi", "d/N", domain=ABOVE_ZERO),
    Parameter(
        "ridge", "ridge (weight decay)", "λ", r"\lambda", more="the fit minimises (1/n)‖y − Fa‖² + λ‖a‖²",
        domain=FROM_ZERO,
    ),
    Parameter(
        "noise", "standard deviation of the label noise", "σ_ε", r"\sigma_{\varepsilon}", domain=REAL_FROM_ZERO,
        default=0,
    ),
    Parameter("first_layer", "first layer", options=enums.FirstLayer, default=enums.FirstLayer.SPHERE),
    Parameter("second_layer", "second layer", options=enums.SecondLayer, default=enums.SecondLayer.GAUSSIAN),
    Parameter(
        "step_samples", "size of the step's batch", "n₀", "n_0",
        more="a number of points or, with ratios, a share of n (default: n₀ = n)", domain=ABOVE_ZERO,
    ),
    Parameter(
        "intercept", "intercept in the fit",
        more="a constant without a penalty, as scikit-learn's Ridge has by default", default=False,
    ),
    Parameter(
        "centred", "centred activation, σ − E σ(Z)", more="otherwise σ as it is written, with its c_0", default=True,
    ),
    Parameter(
        "centred_labels", "centred labels", more="otherwise the mean of the teacher counts in the step and in the fit",
        default=True,
    ),
    Parameter(
        "first_scale", "length of the rows of the first layer", "g_w",
        more="1/sqrt(3) for torch's Linear, sqrt(2) for He's initialisation", domain=REAL_ABOVE_ZERO, default=1,
    ),
    Parameter(
        "second_scale", "standard deviation of √N a of the second layer", "g_a", more="1/sqrt(3) for torch's Linear",
        domain=REAL_ABOVE_ZERO, default=1,
    ),
    Parameter(
        "biases", "biases of the neurons", "b",
        more="a table of biases and shares such as 0:1/2, 1:1/2, or a law, normal(1) or uniform(1)",
        domain=ANY_REAL,
    ),
    Parameter(
        "inputs", "covariance of the inputs", "Σ", r"\Sigma",
        more="levels of eigenvalue, weight and the teacher's share, 3:1/4:1/2, 1/3:3/4:1/2; two_level(9, 1/4, 1/2); or "
        "power(1/3, 1/2), exponents of eigenvalues and shares",
    ),
    Parameter(
        "steps", "number of gradient steps", "T", more="each of size η, on the labels, with a fresh batch of n₀ points",
        domain=SIZE, default=1,
    ),
    Parameter("corrupt_step", "share of the step's labels that belong to other points", "p_s", domain=SHARE, default=0),
    Parameter("corrupt_fit", "share of the fit's labels that belong to other points", "p_f", domain=SHARE, default=0),
    Parameter("flip_step", "share of the step's labels with the wrong sign", "q_s", domain=SHARE, default=0),
    Parameter("flip_fit", "share of the fit's labels with the wrong sign", "q_f", domain=SHARE, default=0),
    Parameter("n", "number of samples", "n", domain=SIZE),
    Parameter("d", "number of inputs", "d", domain=SIZE),
    Parameter("N", "number of neurons", "N", domain=SIZE),
    Parameter("eta", "size of the step (learning rate)", "η", r"\eta", domain=FROM_ZERO),
    Parameter("alpha", "exponent of the step η = n^α", "α", r"\alpha", domain=ANY_NUMBER),
    Parameter(
        "ell", "number of the window of α", "ℓ", r"\ell", domain=Domain("= 0, 1, 2, …", zero=True),
        more="or inf, the limit of all windows",
    ),
    Parameter("gradient", "gradient of the step", options=enums.GradientTarget, default=enums.GradientTarget.RESIDUAL),
    Parameter("network", "network of the limit", options=enums.NetworkKind, default=enums.NetworkKind.THEOREM),
    Parameter("method", "method of a finite step", options=enums.StepMethod, default=enums.StepMethod.DRESSED),
    Parameter("form", "form of the computation", options=enums.LimitForm, default=enums.LimitForm.CLOSED),
    Parameter("as_printed", "Λ_1 and Λ_2 as the slides print them", default=False),
    Parameter("digits", "number of digits to prove for every value", more="inputs must then be exact"),
    Parameter(
        "c1", "linear coefficient of the activation", "c_1", domain=Domain("≠ 0", negative=True, irrational=True),
    ),
    Parameter("c_rest", "root of the activation's variance less c_1²", "c_{>1}", domain=REAL_FROM_ZERO),
    Parameter("present", "indices k with c_k ≠ 0", more="such as 1,2,4 (default: all are assumed)"),
    Parameter("k", "last index of the Hermite coefficients c_0, …, c_k", default=12),
    Parameter("exact", "closed forms, where there are any", default=False),
    Parameter("powers", "largest power that the pencil keeps", more="by default, all that leave the bulk"),
    Parameter("fraction", "fraction of the limit", more="between 0 and 1", default="0.9"),
    Parameter("accuracy", "standard error of a mean, as a share of its value", more="between 0 and 1", default="1/100"),
    Parameter(
        "difference", "difference from the prediction to show nine times in ten, as a share of it",
        more="between 0 and 1",
    ),
    Parameter("level", "chance of calling a right theory different", default="0.01"),
    Parameter(
        "quantity", "quantity to measure",
        more="test_gain, train_gain, test_loss, train_loss, test_loss_initial or train_loss_initial",
        default="test_gain",
    ),
    Parameter("tune", "settings that each activation chooses", options=enums.Tuning),
    Parameter(
        "by", "quantity to rank by", more="test_loss, test_gain, train_loss, train_error or train_gain",
        default="test_loss",
    ),
    Parameter("quantities", "quantities to compute", more="such as test_gain,test_loss"),
    Parameter("replicates", "number of independent draws for each step", default=20),
    Parameter("seed", "seed of all random numbers", default=0),
    Parameter("input_law", "law of the entries of the inputs", options=enums.InputLaw, default=enums.InputLaw.GAUSSIAN),
    Parameter("equivalent", "model to simulate, or a list of models", options=Simulated, default=Simulated.NETWORK),
    Parameter("precision", "floating-point numbers of the simulation", options=Precision, default=Precision.DOUBLE),
    Parameter("workers", "number of processes", default=1),
)  # fmt: skip

#: The parameters of a problem, in the order of its arguments, those of the step and of the theory, and the options of
#: simulations, rankings and sweeps.  A symbol is its own LaTeX unless a row says otherwise.
PARAMETERS = {row.name: row._replace(latex=row.latex or row.symbol) for row in _ROWS}

#: The options of a network, its data and its fit beside sizes, ridge and noise, each with a default.
LAYERS = ("first_layer", "second_layer")
FLAGS = ("intercept", "centred", "centred_labels")
SCALES = ("first_scale", "second_scale")
CHANNELS = ("corrupt_step", "corrupt_fit", "flip_step", "flip_fit")
OPTIONS = (*LAYERS, *FLAGS, *SCALES, "biases", "inputs", "steps", *CHANNELS)
