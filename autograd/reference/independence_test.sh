#!/bin/sh
# The witnesses must share nothing with the engine they judge: of this repository they may be built
# from their own package, from the Program, from element types and shapes, and from the build macros alone.
#
#   independence_test.sh FILE    FILE: the labels of all their dependencies, one a line

set -eu

if ! grep -q '^//autograd/program:' "$1"; then
  echo "[reference] $1 does not list //autograd/program; the query is broken"
  exit 1
fi
strangers=$(grep '^//' "$1" | grep -v -E '^//(autograd/(reference|program|base)|tools/[a-z_]+):' || true)
if [ -n "$strangers" ]; then
  echo "[reference] the witnesses depend on what they judge; only //autograd/program and base are allowed:"
  echo "$strangers"
  exit 1
fi
