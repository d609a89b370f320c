#!/usr/bin/env bash
# Runs every test: format, lints, Rust tests (cases, rules, examples, command line), the book, Python
# tests.
# Needs Rust, a C compiler and Python 3.11 or later; everything else goes into python/.venv, except for
# the browser that tests `--report`: Debian's chromium is installed if it is missing and that is allowed.
set -euo pipefail
cd "$(dirname "$0")"

step() { printf '\n== %s\n' "$*"; "$@"; }

step cargo fmt --all --check
step cargo lint
step cargo test --quiet
step cargo test --quiet -p book-builds

no_browser=$(scripts/browser)
step scripts/python-env --dev
step python/.venv/bin/python -m pytest --quiet python

if [ -n "$no_browser" ]; then
    printf '\nskipped: the pages of --report were not opened in a browser: %s\n' "$no_browser"
fi
printf '\nall tests passed\n'
