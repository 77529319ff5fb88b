# `make demo` and `make test` need Python 3.11+ and make, nothing else.
PYTHON ?= python3
BIN := .venv/bin
# One BLAS thread per process: tests and benchmarks run one process per core.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test check verify bench peers pictures papers reference docs clean

demo: .venv/ready
	$(BIN)/msj report examples/hpc_partition.toml

test: check
	$(BIN)/python -m pytest -n 2

check: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

# Longer comparisons: fresh random systems, larger sizes, statistics.
verify: .venv/ready
	$(BIN)/python -m pytest -n 2 verification
	$(BIN)/python -m pytest -n 2 --hypothesis-profile=fresh tests
	$(BIN)/python -m verification.coverage --time ten-minutes
	$(BIN)/python -m verification.coverage_of_causes --time ten-minutes
	$(BIN)/python -m verification.mutation --listed --count 0 --seconds 120
	$(BIN)/python -m verification.mutation --count 40

bench: .venv/ready
	$(BIN)/python -m benchmarks

# msj beside other people's simulators, which nothing else needs: what cannot be installed is left out, with a sentence.
peers: .venv/ready
	-$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[peers]'
	$(BIN)/python -m benchmarks.peers

pictures: .venv/ready
	$(BIN)/python docs/make_pictures.py

# Every figure of the five papers from scratch, and docs/papers/ with what was found.
papers: .venv/ready
	$(BIN)/python docs/make_papers.py

# The reference pages and the theorem index, from the code; the tests hold them to it.
reference: .venv/ready
	$(BIN)/python docs/make_reference.py

docs: .venv/ready
	$(BIN)/sphinx-build -W -q -b html docs build/docs

.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,docs]'
	touch $@

clean:
	rm -rf .venv
