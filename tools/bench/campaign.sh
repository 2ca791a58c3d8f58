#!/bin/bash
# What the campaign layer costs: prints three figures, each beside its bound. Exit status 1: one is worse.
#
#   tools/bazel run //tools/bench:campaign
#
# Runs for some minutes on an idle machine: times of a busy one mean nothing.
set -euo pipefail

oracle="${PWD}/tools/oracle/oracle"
make_synthetic="${PWD}/fuzz/campaign/make_synthetic"
folder="$(mktemp -d)"
trap 'rm -rf "${folder}"' EXIT
worse=0

# seconds COMMAND...: how long it takes; its output is dropped.
seconds() {
  local begin end
  begin="$(date +%s.%N)"
  "$@" >"${folder}/output" 2>&1 || true
  end="$(date +%s.%N)"
  awk -v a="${begin}" -v b="${end}" 'BEGIN { printf "%.2f", b - a }'
}

# report NAME VALUE BOUND UNIT: a line, and whether it holds.
report() {
  awk -v n="$1" -v v="$2" -v b="$3" -v u="$4" 'BEGIN {
    printf "%-52s %8.2f %s, allowed %g %s\n", n, v, u, b, u; exit !(v <= b) }' || worse=1
}

plan() { printf '%s' "$2" >"${folder}/plan.json"; "${oracle}" campaign plan "${folder}/plan.json" --out="$1" >/dev/null; }

plan "${folder}/empty" '{"shards": 10000, "jobs": [{"programs": 0}]}'
report "10,000 empty shards" "$(seconds "${oracle}" campaign work "${folder}/empty")" 60 s

"${make_synthetic}" "${folder}/full" 10000 1000 20
report "merge of 10,000 shards with 1,000 findings" "$(seconds "${oracle}" campaign merge "${folder}/full")" 60 s
found="$("${oracle}" campaign status "${folder}/full" --json | grep -c '"findings": 20,' || true)"
if [[ "${found}" != 1 ]]; then echo "the findings of 20 kinds are not 20"; worse=1; fi

# processor COMMAND...: seconds that it and the processes it has started took of processors; its output is kept.
processor() {
  local TIMEFORMAT='%U %S'
  { time "$@" >"${folder}/output" 2>&1; } 2>&1 | awk '{ printf "%.2f", $1 + $2 }'
}

# The same Programs by `check` and as a shard, by turns; of each the fastest. Times of processors: other load on the
# machine stretches both of them by less than the clock's.
programs="${1:-30000}"
plain=1e9
shard=1e9
for round in 1 2 3; do
  plan "${folder}/one-${round}" "{\"seed\": 1, \"shards\": 1, \"jobs\": [{\"programs\": ${programs}}]}"
  t="$(processor "${oracle}" campaign work "${folder}/one-${round}" --jobs=1)"
  shard="$(awk -v a="${shard}" -v b="${t}" 'BEGIN { print (b < a) ? b : a }')"
  seed="$(grep -o 'seed=[0-9]*' "${folder}/output" | head -1 | cut -d= -f2)"
  t="$(processor "${oracle}" check --jobs=1 --programs="${programs}" --seed="${seed}" --out="${folder}/findings")"
  plain="$(awk -v a="${plain}" -v b="${t}" 'BEGIN { print (b < a) ? b : a }')"
done
echo "${programs} Programs: check ${plain} s of processors, as a shard ${shard} s"
report "overhead of the campaign layer" "$(awk -v a="${plain}" -v b="${shard}" 'BEGIN { print 100 * (b - a) / a }')" 2 %
exit "${worse}"
