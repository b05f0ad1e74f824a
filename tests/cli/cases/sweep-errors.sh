# SPDX-License-Identifier: GPL-3.0-or-later
# Each mistake where it stands.
try() { printf '%s\n' "$1" >e.json; "$HORUS" sweep e.json --status; echo "exit $?"; }
try '{ "grid": { "laod": [1] } }' 2>&1
try '{ "grid": { "load": [1, -2] } }' 2>&1
try '{ "grid": { "load": 1 } }' 2>&1
try '{ "grid": { "load": [] } }' 2>&1
try '{ "grid": { "seed": "3..1" } }' 2>&1
try '{ "zip": { "load": [1, 2], "seed": [1] } }' 2>&1
try '{ "config": { "load": 1 }, "grid": { "load": [1] } }' 2>&1
try '{ "grid": { "load": [1] }, "zip": { "load": [1] } }' 2>&1
try '{ "list": [ 1 ] }' 2>&1
try '{ "list": [ {} ] }' 2>&1
try '{ "gird": { "load": [1] } }' 2>&1
try '{ "config": { "trace": "traces/sample.csv" } }' 2>&1
try '{ "grid": { "load": [1, 2] } }' 2>&1
try '{ "name": "a/b", "grid": { "load": [1, 2] } }' 2>&1
try '{ "config": { "trace": "traces/sample.csv" }, "grid": { "load": [1, 1.0] } }' 2>&1
try '{ "config": { "trace": "traces/sample.csv" }, "grid": { "policy": ["fifo", "sfj"] } }' 2>&1
try '{ "config": { "trace": "-" }, "grid": { "load": [1, 2] } }' 2>&1
try '[ 1 ]' 2>&1
