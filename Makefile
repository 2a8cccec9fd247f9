# Thinktime: everything is reached from here. `make help` lists it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXTENSION := python/thinktime/_core.abi3.so
# One profile and one set of packages for all that is tested, so that dependencies are compiled once.
CHECKED := --workspace --all-targets --profile checked --locked
# Every second worker begins with tests that wait for most of their time (conftest.py).
WORKERS ?= $(shell expr $$(nproc) \* 2)
WHEELS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
# Where an environment forbids it, each of the many starts of the program compiles it anew.
export PYTHONDONTWRITEBYTECODE :=
export PIP_QUIET := 1
# Of eleven thousand modules a few are imported, and Python compiles those by itself.
export PIP_NO_COMPILE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help build demo pictures gallery man reference site wheel wheel-test bills image compiled checked test \
  test-rust test-python test-python-together test-python-pure test-python-alone fuzz bench instructions peers peers-protocol coverage studies nightly \
  lint lint-format lint-types lint-rust lint-stubs format types clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 13

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(BIN)/maturin: | $(BIN)/python
	$(BIN)/pip install 'maturin>=1.9,<2'

# Cargo says which crate of how many it is at, also if its output is no terminal.
build: export CARGO_TERM_PROGRESS_WHEN := always
build: export CARGO_TERM_PROGRESS_WIDTH := 80
build: $(BIN)/maturin ## Build everything; the command is then .venv/bin/thinktime
	$(BIN)/maturin develop --release

demo: build ## One server under five workloads: measured, simulated, exact; writes demo/report.html
	$(BIN)/thinktime demo --output demo

pictures: build $(VENV)/packages ## Take the pictures of pages that stand in the docs anew
	$(BIN)/python tests/python/pictures.py docs

gallery: build $(VENV)/packages ## Show every kind of page on screens, phones and paper, in dist/gallery
	$(BIN)/python tests/python/gallery.py dist/gallery

man: build ## Write manual pages to dist/man
	$(BIN)/python -m thinktime.reference.manual_pages dist/man

$(VENV)/site: pyproject.toml tests/install.py | $(BIN)/python
	$(BIN)/python tests/install.py site
	@touch $@

# What help, schemas and docstrings say, as pages of the site; git ignores them.
reference: $(VENV)/packages ## Write the pages of all commands, keys and Python names into docs
	@[ -e $(EXTENSION) ] || $(MAKE) --no-print-directory checked
	$(BIN)/python docs/site/generated.py docs

# Every warning is an error: dead links, headings and files that are not there, pages left out.
site: $(VENV)/site reference ## Build the site of the docs into dist/site
	rm -rf dist/site
	$(BIN)/python -m sphinx -q -E -W --keep-going -c docs/site -d dist/doctrees . dist/site

# Zig brings the C library of manylinux2014 (glibc 2.17) and compilers for both processors.
wheel: $(BIN)/maturin ## Build wheels for x86-64 and arm64 and a source distribution in dist/
	$(BIN)/pip install 'ziglang>=0.13'
	rustup target add $(WHEELS)
	$(BIN)/maturin sdist --out dist
	for target in $(WHEELS); do PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release \
	  --zig --target $$target --compatibility manylinux2014 --out dist || exit 1; done

wheel-test: wheel ## Install the wheel where there is no compiler, and run the demo there
	$(BIN)/python tests/wheel.py dist

# Maturin lays the bill of the compiled half into the wheel; the other one is of what pip installs.
bills: $(BIN)/python ## Write bills of materials (CycloneDX) of the wheels in dist/
	$(BIN)/python tests/release.py bills dist
	$(BIN)/python tests/install.py release
	$(PYTHON) -m venv --clear dist/.installed
	dist/.installed/bin/pip install dist/thinktime-*_$(shell uname -m).whl
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --of JSON \
	  -o dist/thinktime-python.cdx.json dist/.installed
	rm -rf dist/.installed

ENGINE ?= podman
image: ## Build the image, try it, and pack it into dist/; ENGINE=docker takes another engine
	$(ENGINE) build -t thinktime -f Containerfile .
	$(ENGINE) run --rm thinktime --help
	mkdir -p dist
	$(ENGINE) save thinktime | gzip -9 > dist/thinktime-image-$(shell uname -m).tar.gz

# What tests and linters need of Python, without a release build, which `build` makes.
$(VENV)/packages: pyproject.toml tests/install.py | $(BIN)/python
	$(BIN)/python tests/install.py
	@touch $@

compiled:
	cargo build $(CHECKED)

checked: $(VENV)/packages compiled
	@cmp -s target/checked/lib_core.so $(EXTENSION) || \
	  { rm -f $(EXTENSION); cp target/checked/lib_core.so $(EXTENSION); }

test: test-rust test-python ## Run all tests; leaves their slower build in .venv, `make build` brings the fast one back

# Properties are tried with the same cases everywhere; `make fuzz` takes others.
test-rust: checked
	PROPTEST_RNG_SEED=1 cargo test --workspace --profile checked --locked --quiet

test-python: test-python-together test-python-pure test-python-alone

# Each worker takes a file at a time, so that what a file's tests share is made once; conftest.py says
# in which order. Many run real servers and browsers, which a busy machine may make late: those that
# fail are run once more, alone, and fail if they do so again.
TOGETHER = OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -m 'not serial and not pure'
BY_FILE = --dist loadfile --no-loadscope-reorder

test-python-together: checked
	$(TOGETHER) -n $(WORKERS) --durations=40 $(BY_FILE) || \
	  { [ $$? = 1 ] && echo "== what failed beside others is run once more, alone" && \
	  $(TOGETHER) --last-failed --last-failed-no-failures none; }

# What only computes may run at the same time as all others, and so has its own list of failures.
PURE = OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -m pure -o cache_dir=.pytest_cache/pure

test-python-pure: checked
	$(PURE) -n $$(nproc) $(BY_FILE) || \
	  { [ $$? = 1 ] && echo "== what failed is run once more" && \
	  $(PURE) --last-failed --last-failed-no-failures none; }

# Tests that need a core for themselves come last, one by one. They measure real time, which another
# program of the machine may spoil: those that fail are run once more, and fail if they do so again.
ALONE = $(BIN)/pytest -m serial $$(grep -l 'mark\.serial' tests/python/test_*.py)

test-python-alone: checked
	$(ALONE) --durations=20 || { [ $$? = 1 ] && \
	  echo "== what failed is measured once more" && $(ALONE) --last-failed; }

FUZZ_SECONDS ?= 60

fuzz: checked ## Run the random tests with fresh seeds, and feed all readers for FUZZ_SECONDS; THINKTIME_FUZZ_SEED=N repeats them
	@seed=$${THINKTIME_FUZZ_SEED:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; \
	  echo "THINKTIME_FUZZ_SEED=$$seed"; \
	  target/checked/thinktime-fuzz $(FUZZ_SECONDS) $$seed && \
	  PROPTEST_RNG_SEED=$$seed cargo test --workspace --profile checked --locked --quiet && \
	  THINKTIME_FUZZ_SEED=$$seed $(BIN)/pytest -m fuzz

bench: build ## Measure speed and lateness; takes a few minutes
	cargo run --release --quiet -p thinktime-sim --example speed
	$(BIN)/python benches/lateness.py

# The build of a release, which users have, or PROFILE=checked, which the tests have made already.
PROFILE ?= release
instructions: ## Hold the instructions a simulated request to their recorded table; needs valgrind
	$(PYTHON) benches/instructions/count.py --profile $(PROFILE) --check

peers: build $(VENV)/packages ## Compare the simulator's speed with LINE, SSJ, Ciw and SimPy; takes ten minutes
	$(BIN)/python benches/simulation.py

peers-protocol: build $(VENV)/packages ## Hold the switch to h2spec and slowhttptest, if they are installed, and to smuggled requests; takes two minutes
	$(BIN)/python benches/protocol.py

coverage: build $(VENV)/packages ## Measure how often the 95 % intervals hold; takes ten minutes
	$(BIN)/python benches/coverage.py
	$(BIN)/python benches/verdicts.py
	THINKTIME_LONG=1 $(BIN)/pytest -m oracle

studies: build ## Reproduce the published figures; takes half an hour
	$(BIN)/python studies/nsdi06/run.py
	$(BIN)/python studies/omission-and-collapse/run.py
	$(BIN)/python studies/moss/study.py
	$(BIN)/python studies/clubweb/study.py
	$(BIN)/python studies/thousand-nodes/simulate.py

# It writes down which studies have passed: `make test` leaves these out until they are changed.
nightly: checked ## Check what `make test` leaves out: studies in small, more inputs, how often intervals hold, a release
	THINKTIME_NIGHTLY=1 $(BIN)/pytest -m study
	target/checked/thinktime-fuzz 3x 1
	$(MAKE) --no-print-directory instructions coverage
	$(BIN)/python tests/python/study_selection.py

lint: lint-format lint-types lint-rust lint-stubs ## Check formatting, lints and types; what is quickest first

lint-format: $(VENV)/packages
	cargo fmt --all --check
	$(BIN)/ruff format --check
	$(BIN)/ruff check

lint-types: $(VENV)/packages
	$(BIN)/mypy

lint-rust:
	cargo clippy $(CHECKED) --quiet -- -D warnings

lint-stubs: checked
	$(BIN)/python -m mypy.stubtest thinktime._core --mypy-config-file pyproject.toml

format: $(VENV)/packages ## Format all code
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix --select I

types: checked ## Write the Python types of files and results anew, as Rust has their tables
	$(BIN)/python tests/python/core_types.py

clean: ## Remove everything that was built
	rm -rf target $(VENV) demo python/thinktime/*.so
