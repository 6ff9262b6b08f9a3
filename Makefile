# Needs Python 3.11 or newer and make; everything else is installed into .venv by the first target that wants it.
PYTHON ?= python3
VENV ?= .venv
NOTEBOOK ?= notebooks/01-first-look.ipynb
FUZZ_SECONDS ?= 60
FUZZ_FOUND ?= .

BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --quiet
# JupyterLab refuses to run as root unless it is told to, as in a container.
LAB_FLAGS ?= $(if $(filter 0,$(shell id -u)),--allow-root)
NOTEBOOKS = $(wildcard notebooks/*.ipynb)

.DEFAULT_GOAL := help
.PHONY: help lab test check format fresh torture fuzz bench notebooks frontend clean

help: ## Show what can be made
	@echo "agentnb: a Jupyter-native kit for debugging AI agents"
	@echo
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | while IFS='|' read -r left right; do printf '%-18s %s\n' "$$left" "$$right"; done
	@echo
	@echo "Another Python: make lab PYTHON=python3.12    Another notebook: make lab NOTEBOOK=notebooks/NAME.ipynb"

lab: $(VENV)/lab.stamp ## Open the first notebook in JupyterLab
	$(PY) -m jupyterlab $(LAB_FLAGS) $(NOTEBOOK)

test: $(VENV)/test.stamp ## Run the tests, and every notebook against its kept outputs
	$(PY) -m pytest --nbval --nbval-current-env $(TESTS)

check: $(VENV)/test.stamp ## Check style, types and layers; with npm at hand also that static/ is what frontend/ builds
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PY) -m mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null 2>&1; then $(MAKE) --no-print-directory frontend && git diff --exit-code --stat -- agentnb/static || { echo "agentnb/static is not what agentnb/frontend builds: run make frontend and commit"; exit 1; }; \
	else echo "npm is not here: the front end was not rebuilt"; fi

format: $(VENV)/test.stamp ## Put the code into the house's form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fresh: $(VENV)/test.stamp ## Install from a clean clone as Binder does, and from the wheel, and try both (minutes)
	$(PY) -m pytest -m fresh

torture: $(VENV)/test.stamp ## Kill, crowd and starve what must lose nothing, hundreds of times (minutes)
	$(PY) -m pytest -m torture

fuzz: $(VENV)/fuzz.stamp ## Search for bytes that make a reader raise (FUZZ_SECONDS=60)
	$(PY) -m tests.fuzz.fuzz_readers $(FUZZ_SECONDS) -artifact_prefix=$(FUZZ_FOUND)/

bench: $(VENV)/test.stamp ## Measure speed and memory against peers
	@for file in $(wildcard tests/benchmarks/bench_*.py); do echo "== $$file"; $(PY) "$$file" || exit 1; done

notebooks: $(VENV)/test.stamp ## Run every notebook again and keep its outputs
	$(PY) tests/notebooks/rerun.py $(NOTEBOOKS)

frontend: ## Build agentnb/static from TypeScript (needs Node.js and npm)
	@command -v npm >/dev/null 2>&1 || { echo "make frontend needs Node.js and npm; nothing else does"; exit 1; }
	cd agentnb/frontend && npm ci --ignore-scripts --no-audit --no-fund && npm run check && npm run build

clean: ## Remove the environment and all caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache agentnb/frontend/node_modules

# A stamp says with which pyproject.toml an extra was installed: when that changes, it is installed again.
$(VENV)/%.stamp: pyproject.toml $(VENV)/python.stamp
	@echo "Installing agentnb-kit[$*] into $(VENV) (a minute or two, once)"
	$(PIP) install --editable '.[$*]'
	@touch $@

# The two ways in which this fails on a new machine have an answer; say it.
$(VENV)/python.stamp:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make lab PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "agentnb needs Python 3.11 or newer and $(PYTHON) is `$(PYTHON) --version`. Name another: make lab PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@
