#!/bin/bash
# Shows that expect_report.sh refuses a clean run, a failure without a report, and a report of another place.
set -u
cd "$(dirname "$0")" || exit 1
failures=0

# expects STATUS COMMAND...: runs the command and compares its status.
expects() {
  local expected="$1"
  shift
  "$@" >/dev/null 2>&1
  local status=$?
  if [[ "${status}" != "${expected}" ]]; then
    echo "'$*' ended with ${status}; ${expected} was expected"
    failures=$((failures + 1))
  fi
}

program="${TEST_TMPDIR:-/tmp}/program"
make_program() { printf '#!/bin/bash\n%s\n' "$1" >"${program}" && chmod +x "${program}"; }

make_program 'echo "data race at a.cc:1"; exit 66'
expects 0 ./expect_report.sh "${program}" 'data race' a.cc
expects 1 ./expect_report.sh "${program}" 'data race' b.cc
expects 1 ./expect_report.sh "${program}" 'use-after-free' a.cc
make_program 'echo "data race at a.cc:1"'
expects 1 ./expect_report.sh "${program}" 'data race' a.cc
make_program 'exit 1'
expects 1 ./expect_report.sh "${program}" 'data race' a.cc
exit "${failures}"
