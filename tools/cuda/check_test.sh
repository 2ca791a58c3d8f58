#!/bin/bash
# check.sh over programs that do as they are told: one line a suite, the status, the page; what it refuses.
set -uo pipefail

work="${TEST_TMPDIR}/pack"
mkdir -p "${work}/bin" "${work}/cuda" "${work}/tools/oracle"
cp -L tools/cuda/check.sh "${work}/"
failures=0

expect() {  # STATUS TEXT COMMAND...
  local status="$1" text="$2" output
  shift 2
  output="$("$@" 2>&1)"
  local seen=$?
  if [[ ${seen} != "${status}" || ${output} != *"${text}"* ]]; then
    printf 'expected status %s and "%s" of: %s\nseen %s and\n%s\n' "${status}" "${text}" "$*" "${seen}" "${output}"
    failures=$((failures + 1))
  fi
}
program() {  # FILE STATUS OUTPUT: which prints that and ends so
  printf '#!/bin/bash\nprintf "%%b" "%s"\nexit %s\n' "$3" "$2" >"${work}/$1"
  chmod +x "${work}/$1"
}

export PATH="${work}/bin:${PATH}" OUT="${work}/out"
program bin/nvidia-smi 9 ''
expect 2 '[cuda] this machine has no GPU that nvidia-smi knows; one is needed; ' "${work}/check.sh"

program bin/nvidia-smi 0 'A GPU, 1.2, 3 MiB\n'
expect 2 "[cuda] no suite is called 'nonsense'; there are tests, goldens, " "${work}/check.sh" nonsense

program cuda/one_test 0 '[  PASSED  ] 3 tests.\n[  SKIPPED ] 1 test, listed below:\n'
program cuda/two_test 0 '[  PASSED  ] 2 tests.\n'
program cuda/no_device_test 0 ''
program cuda/golden_test 1 'it differs\n[  PASSED  ] 0 tests.\n'
program tools/oracle/cuda_oracle 0 ''
expect 0 'ok          5 tests passed, 1 skipped' "${work}/check.sh" tests
expect 1 'it differs' "${work}/check.sh" goldens
expect 1 'failed (1)' "${work}/check.sh" goldens check
PROGRAMS=7 SEED=5 expect 0 'ok          7 Programs from seed 5' "${work}/check.sh" check
mkdir -p "${work}/dnn/lib"
touch "${work}/dnn/lib/libcudnn.so.9"
program cuda/one_test 0 '${LD_LIBRARY_PATH}\n'
CUDNN_HOME="${work}/dnn" expect 0 'tests' "${work}/check.sh" tests
expect 0 ":${work}/dnn/lib:" cat "${OUT}/tests.log"
expect 0 '| A GPU, 1.2, 3 MiB |' cat "${OUT}/results.md"

exit "${failures}"
