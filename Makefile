# The commands of the project. `make demo` and `make test` set everything up by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
BASE = $(VENV)/.installed
STAMP = $(VENV)/.installed-dev
SOURCES = pyproject.toml constraints.txt CMakeLists.txt $(wildcard src/kernels/*)

.PHONY: demo test lint types imports check setup clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(BASE): $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	touch $@

$(STAMP): $(VENV)/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $@ $(BASE)

setup: $(STAMP)

demo: $(BASE)
	$(BIN)/hickam diagnose --network clinic --present "chest pain" --present breathlessness \
	  --present sweating --absent fever --risk smoker --age 63 --sex male --explain

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/ruff check src tests benchmarks examples docs

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

check: lint types imports test

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .hypothesis
