#!/bin/bash
# first_check.sh: what the first `tools/bazel run //tools/oracle -- check` of a machine costs, in three parts:
#
#   packages   installing what a build needs (nothing, where it is installed already)
#   fetch      the third-party archives, into an empty repository cache
#   compile    the oracle, from nothing and without a disk cache
#
# Uses an output base of its own, which is deleted afterwards; what other builds made stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# shellcheck source=tools/prerequisites.sh
source tools/prerequisites.sh

scratch="$(mktemp -d)"
bazel() { tools/bazel --output_base="${scratch}/base" "$@"; }
finish() {
  bazel shutdown >/dev/null 2>&1 || true
  chmod -R u+w "${scratch}" && rm -rf "${scratch}"
}
trap finish EXIT

started="${SECONDS}"
total=0
# part NAME: prints the seconds since the part before.
part() {
  printf '%-10s %4d s\n' "$1" "$((SECONDS - started))"
  total=$((total + SECONDS - started))
  started="${SECONDS}"
}

settings=(--repository_cache="${scratch}/archives" --disk_cache= --noshow_progress)
ensure base
part packages
bazel build "${settings[@]}" --nobuild //tools/oracle >"${scratch}/log" 2>&1 || { cat "${scratch}/log"; exit 1; }
part fetch
bazel build "${settings[@]}" //tools/oracle >"${scratch}/log" 2>&1 || { cat "${scratch}/log"; exit 1; }
part compile
printf '%-10s %4d s; %s\n' total "${total}" "$(grep -o '[0-9]* processes: .*' "${scratch}/log" || true)"
