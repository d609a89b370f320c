#!/usr/bin/env bash
# Runs every test: format, lints, Rust tests (units, cases, rules, examples, command line, documentation), the book and
# a sample of the site, the grammar and the extension for editors, Python tests.
# Needs Rust, a C compiler and Python 3.10 or later; everything else goes into python/.venv, except for
# the browser that tests `--report`, the book and the site: Debian's chromium is installed if it is missing and that is
# allowed. The site needs Node.js, too, and is left out without it.
set -euo pipefail
cd "$(dirname "$0")"

step() {
    local start=$SECONDS
    printf '\n== %s\n' "$*"
    "$@"
    printf '== took %d s\n' $((SECONDS - start))
}

# The extension for VS Code and Python are tested while Rust compiles, and shown at the end.
log=$(mktemp)
editor_and_python_tests() {
    no_browser=$(scripts/browser)
    step scripts/vscode-extension
    step scripts/python-env --dev
    step python/.venv/bin/python -m pytest --quiet python
    step scripts/wheel --dev
    if [ -n "$no_browser" ]; then
        printf '\nskipped: the pages of --report and of the book were not opened in a browser: %s\n' "$no_browser"
    fi
}

step cargo fmt --all --check
step scripts/one-build
(set -e; editor_and_python_tests) >"$log" 2>&1 &
python=$!
trap 'kill $python 2>/dev/null || true; rm -f "$log"' EXIT

step cargo test --quiet --test cases --test it -- --format terse
# Unit tests take seconds, and without optimisation the crate compiles sooner by more than that.
step env CARGO_PROFILE_TEST_OPT_LEVEL=0 cargo test --quiet --lib
step scripts/try-neovim
step cargo test --quiet --doc
step cargo lint
step cargo test --quiet --package book --package fuzz --package cslrun-web --package tree-sitter-csl
step cargo lint-tools
step scripts/site --quick
step cargo run --quiet --package generate-csl-parser -- --check

wait "$python" || { cat "$log"; exit 1; }
cat "$log"
printf '\nall tests passed\n'
