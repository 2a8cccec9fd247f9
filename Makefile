# Thinktime: everything is reached from here. `make help` lists it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUST   := --workspace --exclude thinktime-py
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help build demo test bench peers coverage studies lint format clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

$(BIN)/maturin:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install 'maturin>=1.9,<2'

build: $(BIN)/maturin ## Build everything; the command is then .venv/bin/thinktime
	$(BIN)/maturin develop --release --extras dev --quiet

demo: build ## One server under four workloads: measured, simulated, exact; writes demo/report.html
	$(BIN)/thinktime demo --output demo

test: build ## Run all tests
	cargo test $(RUST) --quiet
	$(BIN)/pytest

bench: build ## Measure speed and lateness; takes a few minutes
	cargo run --release --quiet -p thinktime-sim --example speed
	$(BIN)/python benches/lateness.py

peers: build ## Compare the simulator's speed with LINE, SSJ, Ciw and SimPy; takes ten minutes
	$(BIN)/python benches/simulation.py

coverage: build ## Measure how often the 95 % intervals hold; takes ten minutes
	$(BIN)/python benches/coverage.py

studies: build ## Reproduce the published figures; takes a quarter of an hour
	$(BIN)/python studies/nsdi06/run.py
	$(BIN)/python studies/omission-and-collapse/run.py
	$(BIN)/python studies/moss/study.py

lint: build ## Check formatting, lints and types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest thinktime._core --mypy-config-file pyproject.toml

format: build ## Format all code
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix --select I

clean: ## Remove everything that was built
	rm -rf target $(VENV) demo python/thinktime/*.so
