# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench audit clean

demo: $(VENV)/runtime
	$(BIN)/theorycalc demo

test: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q

bench: $(VENV)/dev
	$(BIN)/python -m tests.benchmarks.run
	$(BIN)/python -m tests.benchmarks.simulation
	$(BIN)/python -m tests.benchmarks.finite_step
	$(BIN)/python -m tests.benchmarks.start_up
	$(BIN)/python -m tests.benchmarks.sweep
	$(BIN)/python -m tests.benchmarks.explorer

audit: $(VENV)/dev
	$(BIN)/python -m tests.benchmarks.audit

$(VENV)/runtime: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'theorycalc needs Python 3.11 or newer; say make PYTHON=python3.12')"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/dev: $(VENV)/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
