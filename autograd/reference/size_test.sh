#!/bin/sh
# A reference is worth something while a person can read it: each part must stay under 1,500 lines
# of code, blank lines and comments not counted.

set -eu

cd autograd/reference
check() {
  part=$1
  shift
  lines=$(cat "$@" | grep -v -c -E '^[[:space:]]*(//.*)?$')
  echo "$part: $lines lines of code"
  if [ "$lines" -ge 1500 ]; then
    echo "[reference] $part has $lines lines of code; fewer than 1500 are allowed; simplify it"
    exit 1
  fi
}

check twin twin.h twin.cc interpreter.h interpreter.cc interpreter_statements.cc call.h \
  call.cc call_walk.cc
check "dual witness" dual.h dual.cc dual_call.cc dual_interpreter.h dual_plan.h dual_plan.cc \
  dual_statements.cc dual_composite.cc partials.h partials.cc tangents.h tangents.cc
check "calculus, dialects and recount" dialect.h calculus.h calculus.cc calculus_formulas.cc recount.h recount.cc
check numbers arena.h index_map.h index_map.cc strides.h strides.cc numbers.h numbers.cc primitives.h primitives.cc \
  group_primitives.h group_primitives.cc
check lowering lowering.h lowering.cc composite.h place_map.h place_map.cc
