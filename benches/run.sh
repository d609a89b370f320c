#!/bin/sh
# Runs all benchmarks; installs Lua for the comparison if that is possible.
set -e
cd "$(dirname "$0")/.."
if ! command -v lua5.4 >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get install -y -q lua5.4 || echo "no lua5.4: the comparison with it is skipped"
fi
exec cargo bench -p benches "$@"
