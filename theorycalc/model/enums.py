"""Parameters whose values are words: the words that each accepts, and their meanings."""

from __future__ import annotations

from enum import StrEnum


class Option(StrEnum):
    """A word accepted by a parameter, with its meaning; it is a text, and shown as one."""

    meaning: str

    def __new__(cls, word: str, meaning: str) -> Option:
        """Return a new member: a text with a meaning."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.meaning = meaning
        return member

    def __repr__(self) -> str:
        return repr(self.value)


class FirstLayer(Option):
    """The law of the rows of the first layer W₀."""

    SPHERE = "sphere", "rows uniform on the unit sphere"
    GAUSSIAN = "gaussian", "rows Gaussian, N(0, I/d)"


class SecondLayer(Option):
    """The law of the entries of the second layer a."""

    GAUSSIAN = "gaussian", "Gaussian, N(0, 1/N)"
    UNIFORM = "uniform", "uniform on ±√(3/N)"
    SIGN = "sign", "±1/√N"
    CONSTANT = "constant", "constant, 1/√N"


class GradientTarget(Option):
    """The target of the gradient step."""

    RESIDUAL = "residual", "on the residual y − f₀, as training code does"
    LABELS = "labels", "on the labels alone, as in the theorem"


class NetworkKind(Option):
    """The networks that a limit describes."""

    THEOREM = "theorem", "as the paper has it"
    LITERAL = "literal", "the limit of real networks"


class StepMethod(Option):
    """The approximation of a finite step."""

    DRESSED = "dressed", "dressed features, for any step"
    ISOTROPIC = "isotropic", "the rest of the gradient counts as even noise"
    PENCIL = "pencil", "the leading term of each spike, for small steps"


class LimitForm(Option):
    """The form in which a limit is computed."""

    CLOSED = "closed", "our closed form"
    MATRIX = "matrix", "the paper's, with the matrix Ω"


class Tuning(Option):
    """The settings that a ranking tunes for each activation."""

    BOTH = "both", "its own best step and ridge"
    RIDGE = "ridge", "its own best ridge, at one step"
    STEP = "step", "its own best step, at the problem's ridge"
    NONE = "none", "one step and the problem's ridge for all"


class InputLaw(Option):
    """The law of the entries of the inputs x, of mean 0 and variance 1."""

    GAUSSIAN = "gaussian", "as the theory has it"
    UNIFORM = "uniform", "on [−√3, √3]"
    RADEMACHER = "rademacher", "±1"


class Simulated(Option):
    """A simulated model: the network itself, or features that are equivalent to it in the limit."""

    NETWORK = "network", "the trained network"
    SPIKED = "spiked", "untrained features with the spikes of the step"
    GAUSSIAN = "gaussian", "Gaussian features with the same moments"


class Precision(Option):
    """The floating-point precision of simulated networks."""

    DOUBLE = "float64", "double precision"
    SINGLE = "float32", "single precision"
