# Plainheart. `make run` starts everything; `make test` proves it; `make` alone lists the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8000
HOST ?= 127.0.0.1
DATA_DIR ?= data

export PORT HOST DATA_DIR
# Nothing of another project's Python leaks into ours.
unexport PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.PHONY: help install install-dev run test check lock password bench-analysis bench-cfa

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=$(PYTHON)  HOST=$(HOST)  PORT=$(PORT)  DATA_DIR=$(DATA_DIR)"

install: ## make .venv from the locked requirements (skips what has not changed)
	@$(PYTHON) -m launcher.install --venv $(VENV) run analysis

install-dev:
	@$(PYTHON) -m launcher.install --venv $(VENV) run analysis dev llm

run: install ## start everything, load the demo study, print the links (Ctrl-C stops it)
	@exec $(BIN)/python -m launcher --with-parent

test: install-dev ## the whole test suite, on services of its own
	@$(BIN)/python -m pytest $(ARGS)

check: install-dev ## style, types, the floors, compose and data files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/compose-lint docker-compose.yml
	$(BIN)/hadolint docker/Dockerfile
	$(BIN)/python -m tests.data_files

bench-analysis: install-dev ## our fits beside factor-analyzer and psych: real ratios, one thread
	@$(BIN)/python -m benchmarks.analysis

bench-cfa: install-dev ## confirmatory fits beside lavaan: real ratios, one thread
	@$(BIN)/python -m benchmarks.cfa

lock: ## compile requirements/*.in to locked *.txt (needs the network)
	@$(PYTHON) -m launcher.locks

password: ## a new generated password for the administrator of the running platform
	@$(BIN)/python -m launcher.password
