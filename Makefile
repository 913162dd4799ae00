# Doors to the `tilewright` command. All tools live in .venv, made here on the first call; `make help` lists the doors.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= out
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)

comma := ,
# Installs with the extras $(1); a dot every two seconds tells that it is alive.
install = (while sleep 2; do printf .; done) & dots=$$!; trap "kill $$dots; echo" EXIT; \
  $(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[$(1)]'

.PHONY: help sim verilog test test-long lint clean figures

help: ## list these doors
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while IFS=$$'\t' read -r door words; do \
	  printf '  make %-26s %s\n' "$$door" "$$words"; done
	@printf '  make %-26s %s\n' 'verilog CONFIG=FILE' 'the same for a configuration of your own (OUT=DIR: where; default out/)'
	@printf '  make %-26s %s\n' 'verilog PRESET=NAME' 'the same for a preset ($(BIN)/tilewright presets lists them)'
	@printf '  make %-26s %s\n' 'fpga-BOARD' 'build the file that a board takes (icebreaker, ulx3s, ...), in build/BOARD'
	@for script in $(wildcard benchmarks/*.py); do name=$$(basename "$$script" .py); \
	  printf '  make %-26s %s\n' "bench-$$name" "$$(sed -n '1s/^"""\(.*[^"]\)"*$$/\1/p' "$$script")"; done

sim: $(VENV)/.ready ## run handwritten digits on generated RTL in every dataflow, and show the figures
	@$(BIN)/tilewright demo

verilog: $(VENV)/.ready ## generate Verilog of a 16x16 int8 weight-stationary core
	@$(BIN)/tilewright systolic $(if $(CONFIG),--config '$(CONFIG)') $(if $(PRESET),--preset '$(PRESET)') -o '$(OUT)'

fpga-%: $(VENV)/.fpga
	@$(BIN)/tilewright build --board '$*' -o 'build/$*' $(if $(CONFIG),--config '$(CONFIG)') $(if $(PRESET),--preset '$(PRESET)')

test: $(VENV)/.fpga ## run the tests of the gate
	@$(BIN)/pytest -q -n $(WORKERS)

test-long: $(VENV)/.fpga ## run the long tests, with new random seeds
	@$(BIN)/pytest -q -n $(WORKERS) -m long --hypothesis-profile random

bench-array-fmax bench-board-designs bench-board-mutants bench-boards bench-full-die bench-ladder: $(VENV)/.fpga
bench-%: benchmarks/%.py $(VENV)/.ready
	@$(BIN)/python $<

figures: $(VENV)/.ready ## write the figures that the benches kept into the documents
	@$(BIN)/python -m tilewright.generators.report.figures

lint: $(VENV)/.ready $(VENV)/.lint ## check format, style and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@mkdir -p build/typecheck/tilewright
	@ln -sfn $(CURDIR)/tilewright/__init__.py $(CURDIR)/tilewright/py.typed build/typecheck/tilewright/
	@for folder in hdl generators sim_tests fpga; do ln -sfn $(CURDIR)/$$folder build/typecheck/tilewright/$$folder; done
	@$(BIN)/mypy

clean: ## remove what was built, the tools in .venv too
	@rm -rf build dist '$(OUT)' .venv *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: Python must be 3.11 or newer, got $$($(PYTHON) -V 2>&1); name another one: make PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "error: $(PYTHON) must have the venv module; install it, on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@echo 'making .venv ...'
	@$(PYTHON) -m venv '$(VENV)'

$(VENV)/.ready: pyproject.toml setup.py | $(BIN)/python
	@echo 'installing Tilewright and the tools of its simulations into .venv ...'
	@$(call install,sim$(comma)onnx)
	@touch $@

$(VENV)/.fpga: pyproject.toml | $(VENV)/.ready
	@echo 'installing the tools of boards and exports into .venv ...'
	@$(call install,sim$(comma)onnx$(comma)fpga$(comma)exports)
	@touch $@

$(VENV)/.lint: pyproject.toml | $(BIN)/python
	@echo 'installing the linters into .venv ...'
	@$(call install,sim$(comma)onnx$(comma)fpga$(comma)exports$(comma)dev)
	@touch $@
