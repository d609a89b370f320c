#!/bin/sh
set -e
cd "$(dirname "$0")"
cslc layout.csl --arch=wse2 --fabric-dims=10,4 --fabric-offsets=4,1 --memcpy --channels=1 -o out
cs_python columns.py --name out
