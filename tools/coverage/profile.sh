#!/bin/bash
# profile.sh PROGRAM ARGUMENT...: runs a test of --config=coverage; it and the processes that it starts leave their
# profiles among the test's own outputs (one a binary and process, %m and %p), where coverage.py finds them.
export LLVM_PROFILE_FILE="${TEST_UNDECLARED_OUTPUTS_DIR:-${TEST_TMPDIR:-/tmp}}/profiles/%m-%p.profraw"
exec "$@"
