# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs figures bench load audit properties mutants fuzz faults soak coverage compatibility clean

demo: $(VENV)/runtime
	$(BIN)/theorycalc demo

test: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

# while you work: the tests that are not slow, in less than 90 seconds on two cores
check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

# all of them, or some: make bench BENCHMARKS="run start_up"
BENCHMARKS ?= run simulation start_up finite_step spectra sweep explorer scaling
bench: $(VENV)/dev
	@missed=; for name in $(BENCHMARKS); do \
	  echo "== $$name"; $(BIN)/python -m benchmarks.$$name || missed="$$missed $$name"; \
	done; test -z "$$missed" || { echo "not as promised:$$missed"; exit 1; }

# 10^8 points and 1000 updates of the explorer, within the bounds that docs/sweep.md and docs/explorer.md state
load: $(VENV)/dev
	$(BIN)/python -m benchmarks.load

# kept part by part in build/audit: it goes on where it was stopped
audit: $(VENV)/dev
	$(BIN)/python -m benchmarks.audit

# the documentation, complete without a network: build/docs/index.html
docs: $(VENV)/dev node_modules/mathjax
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html docs build/docs

# the figures of the examples at full size, into docs/examples
figures: $(VENV)/dev
	$(BIN)/python -m tests.figures

# an hour of property tests, those of interrupted runs among them
properties: $(VENV)/dev
	$(BIN)/python -m pytest -q tests/properties tests/running/test_journal_states.py --hypothesis-profile=hour

mutants: $(VENV)/dev
	$(BIN)/python -m tests.mutants

fuzz: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz

# as root on Linux: it mounts small disks
faults: $(VENV)/dev
	$(BIN)/python -m tests.faults

# an hour of use and kills of everything at once; SOAK="--minutes 10" for less
soak: $(VENV)/dev
	$(BIN)/python -m benchmarks.soak $(SOAK)

coverage: $(VENV)/dev
	$(BIN)/python -m tests.coverage

# the wheel and the sdist in clean environments, all of them, or some: make compatibility ENVIRONMENTS="lowest extras"
compatibility:
	$(PYTHON) -m tests.compatibility $(ENVIRONMENTS)

# what draws formulas in the documentation, and what judges them in the tests
node_modules/mathjax: package.json
	@command -v npm > /dev/null || { echo "the documentation needs npm, which brings MathJax: apt-get install npm" >&2; exit 1; }
	npm install --no-package-lock --ignore-scripts --no-audit --no-fund --silent
	touch $@

$(VENV)/runtime: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'theorycalc needs Python 3.11 or newer; say make PYTHON=python3.12')"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	touch $@

$(VENV)/dev: $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist docs/api docs/glossary.md docs/handbook.md docs/examples/*.md
