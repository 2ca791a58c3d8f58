#!/bin/bash
# Runs everything that needs a GPU, from the binaries beside it (pack.sh), and ends in one line a suite.
#
#   cuda-check/check.sh                 # all suites
#   cuda-check/check.sh tests check     # these
#
# Suites: tests, goldens, check, memcheck, racecheck, synccheck, bench. Output of a suite goes to its file in $OUT
# (default: ./out), its end to the terminal if it failed, and all that is worth keeping to results.md there. Exit status 1
# if a suite failed, 2 where there is no GPU.
# PROGRAMS=20000 is how many `check` judges, SEED=1 their seed, JOBS=8 its processes.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 2

readonly OUT="${OUT:-${PWD}/out}" PROGRAMS="${PROGRAMS:-20000}" SEED="${SEED:-1}" JOBS="${JOBS:-8}"
mkdir -p "${OUT}"

# folder_of LIBRARY FOLDER...: where it is: in one of these, beside the toolkit, or among Python's packages. Without cuBLAS
# products are kernels of this library, without cuDNN convolutions are products.
folder_of() {
  local library="$1" folder file
  shift
  for folder in "$@" "${CUDA_HOME:-/usr/local/cuda}/lib64" \
    $(python3 -c 'import glob, nvidia; print(*(f for p in nvidia.__path__ for f in glob.glob(p + "/*/lib")))' 2>/dev/null); do
    for file in "${folder}/${library}.so."*; do
      [[ -e ${file} ]] && echo "${folder}" && return
    done
  done
}
LD_LIBRARY_PATH="${PWD}/lib:$(folder_of libcublas):$(folder_of libcudnn ${CUDNN_HOME:+"${CUDNN_HOME}/lib"}):${LD_LIBRARY_PATH:-}"
export LD_LIBRARY_PATH

if ! gpu="$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader)"; then
  echo "[cuda] this machine has no GPU that nvidia-smi knows; one is needed; run the tests over the fake runtime elsewhere" >&2
  exit 2
fi

echo "${gpu}"

failed=0
lines=()

# suite NAME COMMAND...: runs it, keeps its output, notes how it went. A line of its output that begins with "detail: "
# goes into the suite's line.
suite() {
  local name="$1" began="${SECONDS}" verdict=ok
  shift
  "$@" >"${OUT}/${name}.log" 2>&1 || verdict="failed ($?)"
  if [[ ${verdict} != ok ]]; then
    failed=1
    tail -n 40 "${OUT}/${name}.log"
  fi
  lines+=("$(printf '%-10s %5d s  %-11s %s' "${name}" "$((SECONDS - began))" "${verdict}" \
    "$(sed -n 's/^detail: //p' "${OUT}/${name}.log" | tail -n 1)")")
  printf '%s\n' "${lines[-1]}"
}

# Google tests one after the other; says how many passed and were skipped.
run_tests() {
  local test status=0 output passed=0 skipped=0 count
  for test in "$@"; do
    echo "=== ${test}"
    output="$(mktemp)"
    "${test}" >"${output}" 2>&1 || { status=1 && echo "FAILED ${test}"; }
    cat "${output}"
    count="$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "${output}")"
    passed=$((passed + ${count:-0}))
    count="$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "${output}")"
    skipped=$((skipped + ${count:-0}))
    rm -f "${output}"
  done
  echo "detail: ${passed} tests passed, ${skipped} skipped"
  return "${status}"
}

tests() {
  local all=() test
  for test in cuda/*_test; do
    [[ ${test} == cuda/golden_test || ${test} == cuda/check_test || ${test} == cuda/no_device_test ]] || all+=("${test}")
  done
  run_tests "${all[@]}" && CUDA_VISIBLE_DEVICES='' cuda/no_device_test
}

goldens() { run_tests cuda/golden_test; }

check() {
  tools/oracle/cuda_oracle check --device=cuda:1 --programs="${PROGRAMS}" --seed="${SEED}" --out="${OUT}/findings" \
    --jobs="${JOBS}" --timeout=60s
  local status=$?
  echo "detail: ${PROGRAMS} Programs from seed ${SEED}"
  return "${status}"
}

# The tests of kernels, of the device and of all operations under one of the tools of compute-sanitizer, which lets
# kernels run one at a time: whether streams run side by side is no question there.
sanitize() {
  local tool="$1" test
  shift
  command -v compute-sanitizer >/dev/null || { echo "detail: compute-sanitizer is not there; it comes with the toolkit" && return 1; }
  for test in "${SANITIZED[@]}"; do
    echo "=== ${test}"
    compute-sanitizer --tool "${tool}" --error-exitcode 9 "$@" "${test}" --gtest_filter=-*StreamsAreIndependent* || return
  done
  echo "detail: ${SANITIZED[*]##*/}"
}
readonly KERNELS=(cuda/kernels_test cuda/cuda_device_test cuda/tensor_test)
memcheck() { SANITIZED=("${KERNELS[@]}" cuda/ops_test cuda/golden_test) && sanitize memcheck --report-api-errors no; }
# Which looks at shared memory alone: only the kernels of cuBLAS and cuDNN have some.
racecheck() { SANITIZED=("${KERNELS[@]}") && sanitize racecheck; }
synccheck() { SANITIZED=("${KERNELS[@]}" cuda/ops_test cuda/golden_test) && sanitize synccheck; }

bench() { python3 -m tools.bench.engine --device=cuda; }

for name in "${@:-}"; do
  case "${name}" in
    tests | goldens | check | memcheck | racecheck | synccheck | bench) ;;
    '') ;;
    *) echo "[cuda] no suite is called '${name}'; there are tests, goldens, check, memcheck, racecheck, synccheck and bench; name some of them" >&2 && exit 2 ;;
  esac
done
[[ $# == 0 ]] && set -- tests goldens check memcheck racecheck synccheck bench
for name in "$@"; do suite "${name}" "${name}"; done

# What tools/bench/RESULTS_GPU.md holds.
page() {
  cat <<END
# Results on a GPU

What \`check.sh\` of [tools/cuda](../cuda/README.md) printed; it writes this page.

| | |
|---|---|
| GPU, driver, memory | ${gpu} |
| processor | $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |
| commit | $(cat commit 2>/dev/null) |
| date | $(date -u '+%Y-%m-%d %H:%M UTC') |

\`\`\`
$(printf '%s\n' "${lines[@]}")
\`\`\`
END
  [[ -e ${OUT}/bench.log ]] || return
  cat <<END

Steps of training in f32 (TF32 off) beside PyTorch's eager mode, each in the loop of its own language, the optimizer's step
included; a ratio above 1: this engine is faster. A layer as wide as the batch; convolutions with so many channels.

\`\`\`
$(cat "${OUT}/bench.log")
\`\`\`
END
}

[[ -e ${OUT}/bench.log ]] && cat "${OUT}/bench.log"
printf '%s\n' "" "${lines[@]}"
page | sed 's/ *$//' >"${OUT}/results.md"
exit "${failed}"
