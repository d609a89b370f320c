#!/usr/bin/env bash
# Runs every test: format, lints, Rust tests (cases, rules, examples, command line), Python tests.
# Needs Rust, a C compiler and Python 3.11 or later; everything else goes into python/.venv.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --all --check
step cargo lint
step cargo test --quiet

step scripts/python-env --dev
step python/.venv/bin/python -m pytest --quiet python

printf '\nall tests passed\n'
