# Widthwise: `make demo` to see it, `make test` to check it, `make help` for the rest.
# Needs python3 (3.11 or newer), a C++20 compiler and make; everything else is installed into .venv.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
NATIVE := $(shell find native -name '*.cpp' -o -name '*.hpp')
BUILD_FILES := pyproject.toml CMakeLists.txt src/widthwise/version.py $(NATIVE)

.PHONY: help setup demo test lint format stubs bench bench-whole sanitize fuzz clean
.DELETE_ON_ERROR:

help:
	@echo "make setup     make .venv and build the package; leaves $(BIN)/widthwise ready"
	@echo "make demo      set up, then solve bundled tasks, explain width, and learn a maze"
	@echo "make test      set up, then lint, types and all tests"
	@echo "make lint      style and types of Python and C++, and the stubs of the native module"
	@echo "make format    bring all files into the style that lint asks for"
	@echo "make stubs     write the stubs of the native module anew"
	@echo "make bench     compare the speed with other planners (needs WIDTHWISE_BENCHMARKS)"
	@echo "make bench-whole  solve whole problems beside other planners (needs WIDTHWISE_BENCHMARKS)"
	@echo "make sanitize  the native tests under the address and undefined-behaviour sanitizers"
	@echo "make fuzz      damaged inputs of every kind, for a minute (FUZZ_SECONDS, FUZZ_SEED)"
	@echo "make clean     remove whatever make has made"

setup: $(VENV)/.ready

# The stamps make re-runs quick; a step is repeated when what it depends on has changed.
$(VENV)/.tools: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Widthwise needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(BUILD_TOOLS)
	@touch $@

$(VENV)/.ready: $(VENV)/.tools $(BUILD_FILES)
	@echo "Building the package (a minute or three the first time) ..."
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.ready
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

# The demo ends with learning. Without network or room for PyTorch it still shows the rest.
$(VENV)/.learn: $(VENV)/.ready
	@echo "Installing PyTorch for the last part of the demo (about a minute) ..."
	@$(PIP) --no-build-isolation --editable '.[learn]' && touch $@ || \
	    echo "PyTorch could not be installed; the demo goes without its last part." >&2

demo: $(VENV)/.learn
	@$(BIN)/widthwise demo

test: lint
	$(BIN)/python -m pytest -n $(JOBS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy
	$(BIN)/python scripts/native_stubs.py --check

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(NATIVE)

stubs: $(VENV)/.dev
	$(BIN)/python scripts/native_stubs.py

bench: setup
	$(BIN)/python benchmarks/classical_speed.py

bench-whole: setup
	$(BIN)/python benchmarks/whole.py --out runs/sample

# A seed of its own every day; FUZZ_SEED=N repeats a run. Inputs that were found are kept in build/fuzz.
FUZZ_SECONDS ?= 60
FUZZ_SEED ?= $(shell date -u +%Y%m%d)
fuzz: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m fuzzing --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# An environment and a build of its own, so that the usual one stays as it is.
SANITIZED := .venv-sanitize
$(SANITIZED)/.ready: constraints.txt $(BUILD_FILES)
	$(PYTHON) -m venv $(SANITIZED)
	$(subst $(BIN),$(SANITIZED)/bin,$(PIP)) $(BUILD_TOOLS) pytest hypothesis numpy fast-downward.translate
	$(subst $(BIN),$(SANITIZED)/bin,$(PIP)) --no-build-isolation --editable . \
	    --config-settings=cmake.define.WIDTHWISE_SANITIZE=ON --config-settings=build-dir=build/sanitize
	@touch $@

sanitize: $(SANITIZED)/.ready
	LD_PRELOAD="$(foreach lib,libasan.so libubsan.so libstdc++.so.6,$$($${CXX:-g++} -print-file-name=$(lib)))" \
	ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	$(SANITIZED)/bin/python -m pytest -m "not slow and not ipc and not resident" -p no:cacheprovider \
	    --ignore-glob='tests/test_cli*' --ignore=tests/test_readme.py --ignore=tests/test_install.py tests

clean:
	rm -rf build dist $(VENV) $(SANITIZED) .venv-peers .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
