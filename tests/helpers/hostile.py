"""Short texts that describe functions which are hard to evaluate, and the processor time that calls take."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from theorycalc.errors import TheoryError


def nested(inner: str, times: int) -> str:
    """Return a formula that is put into itself at {}, x innermost."""
    text = "x"
    for _ in range(times):
        text = inner.format(text)
    return text


#: What attacks found to take longest.
FOUND = (
    "cos(1000*x)*tanh(x)",
    "sin(x**5) + x",
    "cos(900*x**2) + x",
    "tanhshrink(H40*H10)",
    nested("tanh(x + 2*{})", 8),
    " + ".join(f"tanh({i}*x + {i}/3)" for i in range(1, 40)),
)
#: These and others like them: fast oscillations, steep and nested functions, huge degrees.
ACTIVATIONS = (
    *FOUND,
    "sin(x**5)",
    "sin(exp(5*x))",
    "softplus(1e5*x)",
    "tanh(H99)",
    "H99 + tanh(x)",
    "sin(H30) + x",
    "sin(1/(1e-6 + x**2)) + x",
    "exp(sin(50*x))*tanh(x)",
    nested("tanh({})", 30),
    nested("sin(20*{})", 5) + " + x",
    nested("mish(30*{})", 3),
    nested("abs({} - 1/3)", 6) + "*tanh(x)",
    "sqrt(abs(sin(30*x)))",
    "tanh((x + pi)**8*(x + e)**8)",
)
TEACHERS = (
    "tanh(20*t1*t2) + t1",
    "relu(t1 - 2*t2)*relu(t3) + t1",
    "sign(t1**2 + t2**2 + t3**2 - 1) + t1",
    "sin(5*t1*t2*t3*t4) + t1",
    "relu(t1 + t2 - t3/2)*relu(t4 - t1) + t1",
    "abs(abs(t1 - t2) - abs(t3 - t4)) + t1",
    "tanh(1e6*(t1 + t2)) + t1",
    "(t1 + t2 + t3 + t4)**12 + t1",
)


def outcome(call: Callable[[], object]) -> tuple[float, TheoryError | None]:
    """Return the processor time of a call in this thread, and the error of ours that ended it."""
    start, error = thread_time(), None
    try:
        call()
    except TheoryError as found:
        error = found
    return thread_time() - start, error
