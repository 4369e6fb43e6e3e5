# The commands of the project. `make demo`, `make serve` and `make test` set everything up by
# themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
BASE = $(VENV)/.installed
WEB = $(VENV)/.installed-web
STAMP = $(VENV)/.installed-dev
TOOLS = $(VENV)/.tools
# Folders are among the sources: an editable install lists the modules that there are.
SOURCES = pyproject.toml constraints.txt CMakeLists.txt $(wildcard src/kernels/*) \
  $(shell find src/hickam -type d -not -name __pycache__)

.PHONY: demo serve test lint types imports check sanitize fuzz setup clean hostile contract

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# The tools that build the kernels stay in the environment, and so does what they build: nothing is
# compiled again unless it changed.
BUILD = --no-build-isolation -C build-dir=$(VENV)/build
$(TOOLS): $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet $$($(BIN)/python -c "import tomllib; \
	  print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'])")
	$(BIN)/python -m pip install --quiet pip $$($(BIN)/python -c "from scikit_build_core.build \
	  import get_requires_for_build_editable as needed; print(*needed())")
	touch $@

$(BASE): $(TOOLS) $(SOURCES)
	$(BIN)/python -m pip install --quiet -c constraints.txt $(BUILD) -e .
	$(BIN)/hickam version
	touch $@

$(WEB): $(BASE)
	$(BIN)/python -m pip install --quiet -c constraints.txt $(BUILD) -e '.[web]'
	touch $@

$(STAMP): $(TOOLS) $(SOURCES)
	$(BIN)/python -m pip install --quiet -c constraints.txt $(BUILD) -e '.[dev]'
	$(BIN)/hickam version
	touch $@ $(BASE) $(WEB)

setup: $(STAMP)

demo: $(BASE)
	$(BIN)/hickam diagnose --network clinic --present "chest pain" --present breathlessness \
	  --present sweating --absent fever --risk smoker --age 63 --sex male --explain

serve: $(WEB)
	$(BIN)/hickam serve

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

# The kernels with warnings as errors and the sanitizers of the compiler, in an environment of their
# own that borrows all other packages from $(VENV); then the tests that reach every kernel. There is
# one build of them, so `portable` would say the same again, and many instances of one law do.
WATCHED = build/sanitize
WATCH = LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

$(WATCHED)/.installed: $(STAMP) $(SOURCES) $(shell find src/hickam -type f -not -name "*.pyc")
	$(PYTHON) -m venv --clear $(WATCHED)/venv
	$(BIN)/python -c "import sys; print(*(p for p in sys.path if p.endswith('-packages')), sep='\n')" \
	  > "$$($(WATCHED)/venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/borrowed.pth"
	$(BIN)/python -m pip --python $(WATCHED)/venv/bin/python install --quiet --no-deps \
	  --no-build-isolation -C build-dir=$(WATCHED)/cmake -C install.strip=false \
	  -C cmake.define.HICKAM_NATIVE=ON -C cmake.define.HICKAM_STRICT=ON \
	  -C cmake.define.HICKAM_SANITIZE=ON .
	touch $@

sanitize: $(WATCHED)/.installed
	$(WATCH) $(WATCHED)/venv/bin/python -m pytest -n auto --capture=sys -m "not slow" \
	  -k "not numpy and not portable and (not made_to_hurt or ring) and not an_approximate_answer and not loop_corrections" \
	  tests/unit/inference tests/unit/twin/test_sums.py tests/laws/test_engines.py tests/laws/test_noisy_or.py \
	  tests/laws/test_stated_errors.py

hostile: setup
	$(BIN)/python benchmarks/hostile.py

contract: setup
	$(BIN)/python benchmarks/contract.py --cases 20000

fuzz: setup
	$(BIN)/python tests/fuzz/run.py

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .hypothesis
