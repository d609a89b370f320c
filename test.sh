#!/usr/bin/env bash
# Runs every test: format, lints, Rust tests (cases, rules, examples, command line), Python tests.
# Needs Rust, a C compiler and Python 3.11 or later; everything else goes into .venv.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --all --check
step cargo lint
step cargo test --quiet

if [ -d python ]; then
    [ -x .venv/bin/python ] || step python3 -m venv .venv
    step .venv/bin/python -m pip install --quiet --upgrade maturin numpy pytest
    PATH="$PWD/.venv/bin:$PATH" VIRTUAL_ENV="$PWD/.venv" step maturin develop --quiet --manifest-path python/Cargo.toml
    step .venv/bin/python -m pytest --quiet python
fi

printf '\nall tests passed\n'
