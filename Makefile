# The commands of the project. `make demo` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
STAMP = $(VENV)/.installed

.PHONY: demo test lint types imports check setup clean

$(STAMP): pyproject.toml constraints.txt CMakeLists.txt $(wildcard src/kernels/*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@

setup: $(STAMP)

demo: setup
	$(BIN)/hickam diagnose --network clinic --present "chest pain" --present breathlessness \
	  --present sweating --absent fever --risk smoker --age 63 --sex male --explain

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

check: lint types imports test

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .hypothesis
