#!/bin/sh
set -e
cd "$(dirname "$0")"
cs_python run.py
