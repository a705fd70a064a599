"""The grammar of activations and teachers: a parser that turns text into a tree.

    expression   term {(+ | -) term}                      H1 + H2/sqrt(2)
    term         factor {(* | /) factor}
    factor       {+ | -} power                            -x**2 is -(x**2)
    power        atom [(** | ^) factor]                   to the right: 2**3**2 is 2**9
    atom         number, pi, e, x, a name, name(…), where(a < b, then, otherwise), (expression)

A name alone is applied to x: ``relu`` is ``relu(x)``; numbers alone are its parameters: ``leaky_relu(0.1)`` is
``leaky_relu(x, 0.1)``, ``swish(1.7)`` is ``x*sigmoid(1.7*x)``.
Nothing but numbers is evaluated, and every size is bounded: the text, its depth, its numbers and exponents, the tree.
docs/decisions/0008-grammar.md says why the parser is our own.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from itertools import pairwise

from theorycalc.errors import DomainError, ExpressionError, suggestion
from theorycalc.functions import reader
from theorycalc.functions.algebra import where
from theorycalc.functions.build import X, add, call, mul, number, power
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.primitives import ALIASES, GELU_FORMS, NAMED, PRIMITIVES, Named, usual_name
from theorycalc.functions.reader import DIRECTION, HERMITE, Budget, NamedArguments, Token, tokenize
from theorycalc.functions.tree import Constant, Rational, Tree, is_constant
from theorycalc.running.budget import spends

_LARGEST_DECIMAL_EXPONENT = 300
_MOST_DIGITS = 400

_VARIADIC = ("max", "min")
_CONSTANTS = {"pi": Constant("pi"), "e": Constant("e")}
_WORDS = frozenset((*PRIMITIVES, "sqrt", *NAMED, *ALIASES, *_VARIADIC, *_CONSTANTS, "where", "x", "H"))


def parse(text: str) -> Tree:
    """Return the tree of an expression in x.

    >>> str(parse("leaky_relu(0.1)")), str(parse("H2/sqrt(2)"))
    ('where(x > 0, x, x/10)', '(-1 + x**2)*sqrt(2)/2')
    >>> parse("tanh(x) + rellu(x)")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ExpressionError: 'rellu' is not known; did you mean 'relu'?
      tanh(x) + rellu(x)
                ^
    """
    if not isinstance(text, str):
        raise DomainError(f"an expression is text, not {type(text).__name__}")
    return _parse(text)


def parse_activation(text: str) -> Tree:
    """Return the tree of an activation: an expression that is not a constant.

    >>> parse_activation("tanh(2)")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ExpressionError: tanh has no parameter, and tanh(2) is a constant; write tanh(2*x) or 2*tanh(x)
      tanh(2)
      ^
    """
    tree = parse(text)
    if not is_constant(tree):
        return tree
    first, *_ = tokens = tokenize(text)
    match tokens:
        case [Token("name", name), Token(text="("), Token("number", argument), Token(text=")"), Token("end")]:
            message = f"{name} has no parameter, and {reader.constant_hint(name, argument)}"
        case _:
            message = "this is a constant; an activation is a function of x"
    raise reader.error_at(text, first.column, message)


@functools.lru_cache(maxsize=512)
@spends("reading")
def _parse(text: str) -> Tree:
    return Parser(text, tokenize(text), {}, Budget()).whole()


_formula_tokens = functools.lru_cache(maxsize=128)(tokenize)


class Parser(reader.Reader):
    """A recursive-descent parser; ``names`` binds x and the parameters of a formula to trees."""

    def __init__(self, text: str, tokens: list[Token], names: dict[str, Tree], budget: Budget) -> None:
        super().__init__(text, tokens, budget)
        self._names = names

    def whole(self) -> Tree:
        """Read all of the text."""
        if self._peek().kind == "end":
            raise self._error("the expression is empty", self._peek())
        tree = self._expression()
        self._expect_end()
        return tree

    # The rules

    def _expression(self) -> Tree:
        first = self._peek()
        self._descend(first)
        terms = [self._term()]
        while operator := self._take_if("+", "-"):
            term = self._term()
            terms.append(self._made(operator, mul, number(-1), term) if operator.text == "-" else term)
        self._budget.depth -= 1
        return self._made(first, add, *terms) if len(terms) > 1 else terms[0]

    def _term(self) -> Tree:
        first = self._peek()
        factors = [self._factor()]
        while operator := self._take_if("*", "/"):
            factor = self._factor()
            if operator.text == "/":
                factor = self._made(operator, lambda f: power(f, Fraction(-1)), factor)
            factors.append(factor)
        self._refuse_product()
        return self._made(first, mul, *factors) if len(factors) > 1 else factors[0]

    def _refuse_product(self) -> None:
        """Refuse 2x, 3tanh(x), 2(x + 1) and tanh x, and say which operator is missing."""
        before, token = self._tokens[self._next - 1], self._peek()
        starts = token.text == "(" or (token.kind == "name" and self._is_known(token.text))
        if not starts and (token.kind != "number" or before.kind == "number"):
            return
        if before.kind == "name" and before.text not in ("x", *_CONSTANTS, *self._names):
            meant = f"{before.text}({'…' if token.text == '(' else token.text})"
        else:
            left = "(…)" if before.text == ")" else before.text
            meant = f"{left}*{'(…)' if token.text == '(' else token.text}"
        raise self._error(f"{token.text!r} is not expected here; write {meant}", token)

    def _factor(self) -> Tree:
        minus = False
        first = self._peek()
        while sign := self._take_if("+", "-"):
            minus ^= sign.text == "-"
        tree = self._power()
        return self._made(first, mul, number(-1), tree) if minus else tree

    def _power(self) -> Tree:
        base = self._atom()
        operator = self._take_if("**", "^")
        if operator is None:
            return base
        self._descend(operator)
        exponent = self._factor()
        self._budget.depth -= 1
        if isinstance(exponent, Rational):
            return self._made(operator, lambda b: power(b, exponent.value), base)
        if is_constant(base) and constant_sign(base) == 1:  # c**u = exp(u log c)
            return self._made(operator, lambda b, u: call("exp", mul(u, call("log", b))), base, exponent)
        raise self._error("an exponent must be a rational number, or the base a positive one", operator)

    def _atom(self) -> Tree:
        token = self._take()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name":
            return self._name(token)
        if token.text == "(":
            tree = self._expression()
            self._expect(")")
            return tree
        raise self._error(
            f"{token.text!r} is not expected here" if token.text else "the expression ends too early", token
        )

    def _number(self, token: Token) -> Tree:
        mantissa, _, exponent = token.text.lower().partition("e")
        if len(mantissa) > _MOST_DIGITS or len(exponent) > 5 or abs(int(exponent or 0)) > _LARGEST_DECIMAL_EXPONENT:
            raise self._error("a number here is too large, or has too many digits", token)
        return self._made(token, lambda: number(Fraction(token.text)))

    # Names

    def _name(self, token: Token) -> Tree:
        name = usual_name(token.text)
        if name in self._names:
            return self._names[name]
        if name in ("x", *_CONSTANTS):
            if self._peek().text == "(":
                raise self._error(f"{name!r} is not a function; write {name}*(…) for a product", self._peek())
            return X if name == "x" else _CONSTANTS[name]
        if DIRECTION.fullmatch(name):
            reason = "is a direction, which a teacher of several has, and this is a function of x"
            raise self._error(f"{name!r} {reason}", token)
        if not self._is_known(name):
            raise self._error(f"{token.text!r} is not known{suggestion(token.text, known_names())}", token)
        name = ALIASES.get(name, name)
        opened = self._take_if("(")
        if name == "where":
            return self._where(token, opened)
        arguments, options = self._arguments(name in NAMED) if opened else ([], {})
        return self._apply(token, name, arguments, options)

    def _is_known(self, name: str) -> bool:
        return name in self._names or usual_name(name) in _WORDS or HERMITE.fullmatch(name) is not None

    def _where(self, token: Token, opened: Token | None) -> Tree:
        if not opened:
            raise self._error("write where(a < b, then, otherwise)", token)
        left = self._expression()
        comparison = self._take_if(*reader.COMPARISONS)
        if comparison is None:
            raise self._error("where() needs a comparison first, such as x > 0", self._peek())
        right = self._expression()
        self._expect(",")
        then = self._expression()
        self._expect(",")
        otherwise = self._expression()
        self._expect(")")
        make = lambda *parts: where(parts[0], comparison.text, *parts[1:])  # noqa: E731
        return self._made(token, make, left, right, then, otherwise, keep=False)

    def _arguments(self, numbers_are_parameters: bool) -> tuple[list[Tree], NamedArguments]:
        """Read the arguments up to the closing parenthesis: expressions, then name=value."""
        positional: list[Tree] = []
        options: NamedArguments = {}
        while not self._take_if(")"):
            if (positional or options) and not self._take_if(","):
                raise self._error("',' or ')' is missing here", self._peek())
            token = self._peek()
            following = self._tokens[min(self._next + 1, len(self._tokens) - 1)]
            if token.kind == "name" and following.text == "=":
                self._next += 2
                if token.text in options:
                    raise self._error(f"{token.text!r} is given twice", token)
                options[token.text] = self._option(token.text)
            elif options:
                raise self._error("an argument without a name cannot follow one with a name", token)
            else:
                start = self._next
                positional.append(self._expression())
                if numbers_are_parameters and is_constant(positional[-1]) and self._has_x(start):
                    raise self._error("x cancels here, and a constant remains", token)
        return positional, options

    def _has_x(self, start: int) -> bool:
        """Return True if the tokens read since a given place name x, or a function without its argument."""
        read = self._tokens[start : self._next + 1]
        names = [(part.text, following.text) for part, following in pairwise(read) if part.kind == "name"]
        return any(name == "x" or (following != "(" and name not in _CONSTANTS) for name, following in names)

    def _option(self, name: str) -> Tree | str:
        token = self._peek()
        if name == "approximate" or token.kind == "word":
            return self._take().text.strip("'\"")
        return self._expression()

    def _apply(self, token: Token, name: str, arguments: list[Tree], options: NamedArguments) -> Tree:
        if name == "gelu" and "approximate" in options:
            form = options.pop("approximate")
            if not isinstance(form, str) or form not in GELU_FORMS:
                raise self._error("gelu(approximate=…) is none or tanh", token)
            name = GELU_FORMS[form]
        if name in NAMED and (NAMED[name].parameters or name not in PRIMITIVES) and not self._inside(name):
            return self._named(token, NAMED[name], arguments, options)
        if options:
            raise self._error(f"{name} has no parameter {next(iter(options))!r}", token)
        if name in _VARIADIC:
            return self._extreme(token, name, arguments)
        if name == "H" or HERMITE.fullmatch(name):
            return self._made(token, lambda *parts: reader.hermite(name, parts, self._x), *arguments)
        if len(arguments) > 1:
            raise self._error(f"{name} takes one argument", token)
        return self._made(token, lambda *given: call(name, *(given or (self._x(),))), *arguments)

    def _x(self) -> Tree:
        """Return the argument for a name that stands alone."""
        return self._names.get("x", X)

    def _inside(self, name: str) -> bool:
        """Return True if this is the formula of a name that is also a primitive, such as softplus."""
        return name in PRIMITIVES and self._text == NAMED[name].formula

    def _extreme(self, token: Token, name: str, arguments: list[Tree]) -> Tree:
        if len(arguments) < 2:
            raise self._error(f"{name} takes two or more arguments", token)
        comparison = ">=" if name == "max" else "<="
        rest = list(arguments)
        while len(rest) > 1:  # two by two: each appears in the condition and as a branch, so depth costs
            pairs = zip(rest[::2], rest[1::2], strict=False)
            odd = rest[-1:] if len(rest) % 2 else []
            make = lambda a, b: where(a, comparison, b, a, b)  # noqa: E731
            rest = [self._made(token, make, *pair, keep=False) for pair in pairs] + odd
        return rest[0]

    def _named(self, token: Token, named: Named, arguments: list[Tree], options: NamedArguments) -> Tree:
        """Apply a named activation: read its formula with x and the parameters bound."""
        try:
            names = reader.bind(named, arguments, options, self._x)
        except ExpressionError as error:
            raise self._error(str(error), token) from None
        key = (named.name, tuple(names.values()))
        if key in self._budget.read:
            return self._made(token, lambda: self._budget.read[key])
        formula = Parser(named.formula, _formula_tokens(named.formula), names, self._budget)
        try:
            return self._budget.read.setdefault(key, formula.whole())
        except ExpressionError as error:
            raise self._error(f"{named.name}: {error.reason or error}", token) from None


def known_names() -> tuple[str, ...]:
    """Return every name the grammar knows.

    >>> "relu" in known_names(), "H3" in known_names()
    (True, True)
    """
    polynomials = tuple(f"H{k}" for k in range(reader.LARGEST_INDEX + 1))
    return (*sorted(_WORDS), *polynomials)
