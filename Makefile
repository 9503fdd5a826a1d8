# Widthwise: `make demo` to see it, `make test` to check it, `make help` for the rest.
# Needs python3 (3.11 or newer), a C++20 compiler and make; everything else is installed into .venv.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Warnings of the compiler are errors here, but not in `pip install .`: another compiler has other warnings.
STRICT := --config-settings=cmake.define.WIDTHWISE_WERROR=ON
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
# Our own C++; what others wrote (native/tests/third_party) keeps the form it has.
NATIVE := $(shell find native \( -name '*.cpp' -o -name '*.hpp' \) -not -path '*/third_party/*')
BUILT := $(filter-out native/tests/%,$(NATIVE))
BUILD_FILES := pyproject.toml CMakeLists.txt src/widthwise/version.py $(BUILT)

.PHONY: help setup demo test browser lint docs format stubs bench bench-whole sanitize tsan faults fuzz fuzz-guided val oracles wheels lock locked sbom clean native-test coverage
.DELETE_ON_ERROR:

help:
	@echo "make setup     create .venv and build the package as $(BIN)/widthwise"
	@echo "make demo      set up, then solve bundled tasks, explain width, and learn a maze"
	@echo "make test      set up, then lint, types and all tests"
	@echo "make browser   install Debian's chromium with apt, for the tests in the browser"
	@echo "make native-test  run the tests of the C++ kernels, without Python"
	@echo "make coverage  measure the test coverage of the Python and C++ code"
	@echo "make lint      check the style and types of Python and C++, and the stubs of the native module"
	@echo "make docs      build the documentation in build/docs; every warning is an error"
	@echo "make format    format all files"
	@echo "make stubs     regenerate the stubs of the native module"
	@echo "make bench     compare the speed with other planners (needs WIDTHWISE_BENCHMARKS)"
	@echo "make bench-whole  compare with other planners on whole problems (needs WIDTHWISE_BENCHMARKS)"
	@echo "make sanitize  run the tests with the address and undefined-behaviour sanitizers"
	@echo "make tsan      run the tests of the C++ kernels with the thread sanitizer"
	@echo "make faults    test failures of every write and of every metered allocation"
	@echo "make fuzz      run damaged inputs of every kind for a minute (FUZZ_SECONDS, FUZZ_SEED)"
	@echo "make fuzz-guided  run fuzzing guided by coverage (FUZZ_TARGET=task, reader, plan, ...)"
	@echo "make val       build the external validator VAL for make oracles from its public source"
	@echo "make oracles   check plans and unsolvable tasks with VAL, unified-planning and Fast Downward"
	@echo "make wheels    build and check the source archive and the wheels for Linux, into dist"
	@echo "make lock      regenerate the requirements with hashes from constraints.txt"
	@echo "make locked    install the requirements with hashes, and the package, into .venv-locked"
	@echo "make sbom      write the bill of materials, dist/sbom.cdx.json"
	@echo "make clean     remove all generated files"

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
	@echo "Building the package (one to three minutes the first time) ..."
	@$(PIP) --no-build-isolation --editable . $(STRICT)
	@touch $@

$(VENV)/.dev: $(VENV)/.ready
	@$(PIP) --no-build-isolation --editable '.[dev]' $(STRICT)
	@touch $@

# The demo ends with learning. Without network or room for PyTorch it still shows the rest.
$(VENV)/.learn: $(VENV)/.ready
	@echo "Installing PyTorch for the last part of the demo (about a minute) ..."
	@$(PIP) --no-build-isolation --editable '.[learn]' $(STRICT) && touch $@ || \
	    echo "PyTorch could not be installed; the demo goes without its last part." >&2

demo: $(VENV)/.learn
	@$(BIN)/widthwise demo

test: lint native-test
	$(BIN)/python -m pytest -n $(JOBS)

# Without a browser the tests that need one are skipped.
browser:
	@sh scripts/browser.sh

# The kernels by themselves, in a build that is quick rather than fast.
CONFIGURE = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DWIDTHWISE_WERROR=ON \
	-DWIDTHWISE_PYTHON=OFF -DWIDTHWISE_NATIVE_TESTS=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1
native-test: $(VENV)/.tools
	$(CONFIGURE) -B build/native
	$(BIN)/cmake --build build/native --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/native --output-on-failure --no-tests=error --parallel $(JOBS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	$(BIN)/mypy
	$(BIN)/python scripts/native_stubs.py --check

# tests/docs builds the same pages, so that `make test` fails where this fails.
docs: $(VENV)/.dev
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html -d build/docs-cache docs build/docs
	@echo "The pages are in build/docs/index.html."

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
# Every write fails with every error, once and for good; `make test` tries each in one way.
faults: $(VENV)/.dev
	WIDTHWISE_FAULTS=all $(BIN)/python -m pytest tests/package/test_faults.py

fuzz: $(VENV)/.dev
	PYTHONPATH=tests:tests/support $(BIN)/python -m fuzzing --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# Guided by coverage, with atheris: needs a Python that it has files for.
FUZZ_TARGET ?= task
fuzz-guided: $(VENV)/.dev
	@mkdir -p build/fuzz
	@$(PIP) --no-build-isolation --editable '.[fuzz]'
	PYTHONPATH=tests:tests/support $(BIN)/python -m fuzzing.guided $(FUZZ_TARGET) -max_total_time=$(FUZZ_SECONDS) \
	    -len_control=0 -artifact_prefix=build/fuzz/

# An environment and a build of its own, so that the usual one stays as it is.
SANITIZED := .venv-sanitize
$(SANITIZED)/.ready: constraints.txt $(BUILD_FILES)
	$(PYTHON) -m venv $(SANITIZED)
	$(subst $(BIN),$(SANITIZED)/bin,$(PIP)) $(BUILD_TOOLS) pytest pytest-xdist hypothesis numpy fast-downward.translate httpx
	$(subst $(BIN),$(SANITIZED)/bin,$(PIP)) --no-build-isolation --editable '.[serve,gym]' $(STRICT) \
	    --config-settings=cmake.define.WIDTHWISE_SANITIZE=address,undefined --config-settings=build-dir=build/sanitize
	@touch $@

# First the kernels by themselves, which also shows memory that is never freed; then everything that Python calls.
sanitize: $(SANITIZED)/.ready $(VENV)/.tools
	$(CONFIGURE) -B build/sanitize-native -DWIDTHWISE_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize-native --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/sanitize-native --output-on-failure --no-tests=error
	LD_PRELOAD="$(foreach lib,libasan.so libubsan.so libstdc++.so.6,$$($${CXX:-g++} -print-file-name=$(lib)))" \
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 PYTHONMALLOC=malloc WIDTHWISE_FUZZ_SLACK=5 \
	$(SANITIZED)/bin/python -m pytest -n $(JOBS) -m "not slow and not ipc and not resident" -p no:cacheprovider \
	    --ignore-glob='tests/cli/test_cli*' --ignore=tests/package/test_readme.py --ignore=tests/package/test_install.py tests

# The kernels without Python, with searches on threads.
tsan: $(VENV)/.tools
	$(CONFIGURE) -B build/tsan -DWIDTHWISE_SANITIZE=thread
	$(BIN)/cmake --build build/tsan --parallel $(JOBS)
	TSAN_OPTIONS=halt_on_error=1 $(BIN)/ctest --test-dir build/tsan --output-on-failure --no-tests=error

# How much of the code the tests execute. An environment of its own, which sees the packages of the usual one, has the
# package with counters in its native module; the tests of the kernels count as well. Left out are the tests that are
# marked slow, that need the planning tasks, or that measure memory. A few tests fail here because of the counters (what
# is imported, the last digits of floating-point numbers); that does not end the target. Loops over images run more often
# than gcovr finds plausible, hence the threshold.
COVERED := .venv-coverage
$(COVERED)/.ready: constraints.txt $(BUILD_FILES) $(VENV)/.dev
	$(PYTHON) -m venv $(COVERED)
	$(subst $(BIN),$(COVERED)/bin,$(PIP)) $(BUILD_TOOLS) pytest-cov gcovr
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	    > "$$($(COVERED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/usual.pth"
	$(subst $(BIN),$(COVERED)/bin,$(PIP)) --no-build-isolation --no-deps --editable . $(STRICT) \
	    --config-settings=cmake.define.WIDTHWISE_COVERAGE=ON --config-settings=build-dir=build/coverage
	@touch $@

coverage: $(COVERED)/.ready
	find build/coverage build/coverage-native -name '*.gcda' -delete 2>/dev/null || true
	$(CONFIGURE) -B build/coverage-native -DWIDTHWISE_COVERAGE=ON
	$(BIN)/cmake --build build/coverage-native --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/coverage-native --output-on-failure --no-tests=error --parallel $(JOBS)
	-$(COVERED)/bin/python -m pytest -n $(JOBS) -m "not slow and not ipc and not resident" -p no:cacheprovider \
	    --ignore=tests/package/test_install.py --cov --cov-report=term:skip-covered --cov-report=xml:build/coverage.xml
	$(COVERED)/bin/gcovr --root . --filter native/ --exclude native/tests/ --merge-lines --exclude-throw-branches \
	    --gcov-suspicious-hits-threshold 0 --print-summary --txt build/coverage-native.txt build/coverage build/coverage-native
	$(COVERED)/bin/coverage report --format=total | sed 's/^/Python lines and branches, percent: /'
	sed -n 's/^TOTAL.* \([0-9]*%\).*/C++ lines: \1/p' build/coverage-native.txt

# VAL is the plan validator of the planning competitions; it is built from its public source, outside the project.
VAL_SOURCE ?= https://github.com/KCL-Planning/VAL
VAL_COMMIT ?= 3c7a1f330bdab0ba28a4762bb45c3f06c27fb6d4
val: build/val/bin/Validate
build/val/bin/Validate: | $(VENV)/.tools
	rm -rf build/val-source build/val
	git clone --quiet $(VAL_SOURCE) build/val-source
	git -C build/val-source checkout --quiet $(VAL_COMMIT)
	$(BIN)/cmake -S build/val-source -B build/val -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
	    -DCMAKE_CXX_FLAGS=-w -Wno-dev
	$(BIN)/cmake --build build/val --target Validate --parallel $(JOBS)

oracles: $(VENV)/.dev val
	$(BIN)/python -m pytest tests/classical/test_oracles.py tests/classical/test_ground_oracle.py tests/classical/test_validate_translator.py

$(VENV)/.wheels: $(VENV)/.ready
	@$(PIP) --no-build-isolation --editable '.[wheels]' $(STRICT)
	@touch $@

# Wheels for this kind of processor and any Linux with glibc 2.28 or newer, checked in empty environments.
wheels: $(VENV)/.wheels
	$(BIN)/python scripts/wheels.py

$(VENV)/.audit: $(VENV)/.ready
	@$(PIP) --no-build-isolation --editable '.[audit]'
	@touch $@

lock: $(VENV)/.audit
	$(BIN)/python scripts/lock.py

# An environment of its own in which nothing is installed but files whose hashes are known.
LOCKED := .venv-locked
locked:
	$(PYTHON) -m venv --clear $(LOCKED)
	$(LOCKED)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(LOCKED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index .
	$(LOCKED)/bin/widthwise --version

sbom: $(VENV)/.audit
	$(BIN)/python scripts/sbom.py

clean:
	rm -rf build dist $(VENV) $(SANITIZED) $(COVERED) $(LOCKED) .venv-peers .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
