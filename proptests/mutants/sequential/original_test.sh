#!/bin/bash
# original_test.sh PROGRAM: PROGRAM, the harness of mutants without any patched copy, must refuse to run.
output="$("$1" wrong_sign must_die 1 2>&1)"
status=$?
echo "${output}"
if [[ "${status}" != 2 || "${output}" != *"no copy with the defect \`wrong_sign\` is linked"* ]]; then
  echo "[mutants] status ${status}; 2 and a message were expected: the original took the place of the copy unnoticed"
  exit 1
fi
