# Everything here works on a machine with Python 3.11 or newer, git and make.
# uv is brought along, in .tools; the environment is .venv, and another one for `make other`.

SHELL := /bin/sh
PYTHON ?= python3
SERVER ?=
ONE = $(or $(SERVER),ntfy)
NAMES = names=$$($(PYTHON) scripts/names.py '$(1)') && set -- $$names
UV_VERSION := 0.13.9
UV := .tools/bin/uv
VENV := $(if $(filter other,$(MAKECMDGOALS)),.venv-$(notdir $(PYTHON)),.venv)
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
MEMBERS := $(wildcard shared/*/pyproject.toml packages/*/pyproject.toml)
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test other live lint fmt cov bench build docker inspect generate bundle package fuzz interop
.PHONY: lock clean unicode install uninstall dialogs releasable

help: ## show this text
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

$(UV):
	$(PYTHON) -m venv .tools || { $(PYTHON) -m pip install --quiet --target .tools/seed virtualenv \
		&& PYTHONPATH=.tools/seed $(PYTHON) -m virtualenv --quiet .tools; }
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

$(READY): requirements.lock $(MEMBERS) | $(UV)
	$(UV) venv --quiet --clear --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
	VIRTUAL_ENV=$(VENV) $(UV) pip sync --quiet --require-hashes requirements.lock
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps $(addprefix -e ./,$(dir $(MEMBERS)))
	touch $(READY)

setup: $(READY) ## make the environment

demo: $(READY) ## watch a client talk to a server: SERVER=ntfy, DEMO_ANSWER=yes|no
	@$(RUN) demo '$(ONE)'

install: $(UV) ## install the servers, or SERVER, for every day; a second run updates
	@$(PYTHON) scripts/install.py install '$(SERVER)'

uninstall: $(UV) ## remove what install made
	@$(PYTHON) scripts/install.py uninstall '$(SERVER)'

test: $(READY) ## run all tests
	$(RUN) pytest -q -n auto

# All of tests/approval and tests/wire ran on each version before .ci/pythons listed it. What is left out
# since then takes long and rests on the same: properties, models, --check, starts under each setting, and
# asking by phone across processes.
TELLING := tests/approval $(addprefix tests/wire/,test_process.py test_loading.py test_gateway.py)

other: $(READY) ## the tests that tell another PYTHON apart, such as PYTHON=python3.13
	$(RUN) pytest -q -n auto $(TELLING) -k 'not (properties or model or states or record_file)'
	$(RUN) pytest -q -m packaging tests/packaging/test_wheels.py -k installed

live: $(READY) ## tests against the real things that are here; it ends with what is not
	$(RUN) pytest -q -m live

lint: $(READY) ## style, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

fmt: $(READY) ## put source into form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

cov: $(READY) ## tests with branch coverage, and its limits
	rm -f .coverage .coverage.*
	$(RUN) pytest -q -n auto --cov --cov-report=
	$(RUN) coverage report --include='shared/mcp-approval/*' --fail-under=100
	$(RUN) coverage report --include='shared/mcp-serverkit/*' --fail-under=100
	$(RUN) coverage report --include='packages/*' --fail-under=95

bench: $(READY) ## start, memory, calls, as ratios; PICTURE=1 draws them; BASE=DIR: against another checkout
	@$(if $(BASE),$(RUN) bench.against '$(BASE)',$(RUN) bench)

build: $(READY) ## build wheels and sdists of all packages into dist/
	rm -rf dist
	$(UV) build --quiet --all-packages --out-dir dist
	@ls dist

docker: ## build the image of SERVER=ntfy
	@$(call NAMES,$(ONE)) && set -x && \
		docker build --build-arg SERVER=$$1 --tag $$1 -f docker/Dockerfile .

inspect: $(READY) ## show what the MCP Inspector's command line says of SERVER, in its three settings
	@$(call NAMES,$(ONE)) && $(RUN) tests.interop.tools && $(RUN) tests.interop.inspector "$$1"

generate: $(READY) ## write what is generated: README tables and picture, catalogues, manifests
	$(RUN) scripts.generate

unicode: $(READY) ## write the table of invisible characters from Unicode's properties
	$(RUN) scripts.unicode_table

lock: $(UV) ## resolve all dependencies anew: names, versions and hashes, no addresses
	$(UV) lock --upgrade
	$(UV) export --quiet --all-packages --all-groups --no-emit-workspace --no-annotate \
		--no-header --format requirements.txt --output-file requirements.lock
	printf 'uv==%s\nhatchling>=1.27\n' $(UV_VERSION) | $(UV) pip compile - --quiet --universal \
		--python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url \
		--output-file docker/build-requirements.lock

bundle: $(READY) ## pack the servers, or SERVER, for one-click installation (.mcpb) into dist/
	@$(RUN) scripts.bundle dist '$(SERVER)'

package: $(if $(filter 1,$(RELEASE)),releasable) $(READY) ## build, check, install and start all that is published; RELEASE=1: to publish it
	$(RUN) pytest -q -m packaging tests/packaging

releasable:
	@$(PYTHON) scripts/release.py

dialogs: $(READY) ## write a page of all dialogs, rendered and plain, into the folder TO
	@$(RUN) tests.dialogs.page '$(or $(TO),dist/dialogs)'

fuzz: $(READY) ## 10,000 random conversations, and every way to end a process
	FUZZ_EXAMPLES=10000 $(RUN) pytest -q tests/serverkit/test_early_answers_agreement.py \
		tests/serverkit/test_request_ids.py tests/serverkit/test_ends.py tests/dialogs \
		tests/approval/test_invisible.py tests/outcomes/test_leaves.py \
		tests/outcomes/test_hostile_answers.py

interop: $(READY) ## real clients and gateways: TypeScript, FastMCP, Inspector, conformance
	@$(call NAMES,$(SERVER)) && $(RUN) tests.interop.tools && \
		$(RUN) pytest -q -n auto -m interop tests/interop $(if $(SERVER),-k "$${1%%-*}")

clean: ## remove what the other targets made
	rm -rf .venv .venv-* .tools dist htmlcov .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
