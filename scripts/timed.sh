#!/bin/sh
# Runs a test program for no longer than SECONDS, and says how long it took: cargo's runner in scripts/test.sh.
#   timed.sh SECONDS PROGRAM [ARGUMENT...]
seconds=$1
shift
began=$(date +%s)
timeout --foreground --kill-after=10 "$seconds" "$@"
status=$?
name=${1##*/}
echo "took $(($(date +%s) - began)) s: ${name%-*}"
[ "$status" != 124 ] || echo "test: ${name%-*} was ended after $seconds s"
exit "$status"
