"""Mutants by hand: for every formula of the handbook the mistakes that someone would make in it."""

from tests.mutants.catalogue.coefficients import COEFFICIENTS
from tests.mutants.catalogue.dressed import DRESSED
from tests.mutants.catalogue.gains import GAINS
from tests.mutants.catalogue.lengthened import LENGTHENED
from tests.mutants.catalogue.steps import STEPS
from tests.mutants.catalogue.traces import TRACES
from tests.mutants.mutant import Mutant

CATALOGUE = tuple(
    Mutant(formula, file, old, new, kind)
    for part in (COEFFICIENTS, TRACES, GAINS, STEPS, DRESSED, LENGTHENED)
    for formula, file, changes in part
    for old, new, kind in changes
)
