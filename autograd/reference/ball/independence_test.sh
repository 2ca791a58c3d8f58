#!/bin/sh
# The ball witness must share nothing with what it judges: neither the engine nor the other two witnesses. Of this
# repository it may be built from its own package, from the Program, from element types and from the build macros alone.
#
#   independence_test.sh FILE    FILE: the labels of all its dependencies, one a line

set -eu

if ! grep -q '^//autograd/program:' "$1"; then
  echo "[reference] $1 does not list //autograd/program; the query is broken"
  exit 1
fi
strangers=$(grep '^//' "$1" | grep -v -E '^//(autograd/(reference/ball|program|base)|tools/[a-z_]+):' || true)
if [ -n "$strangers" ]; then
  echo "[reference] the ball witness depends on what it judges; only //autograd/program and base are allowed:"
  echo "$strangers"
  exit 1
fi
