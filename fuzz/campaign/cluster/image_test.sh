#!/bin/bash
# Builds the image of the tool over planted faults, and runs the shards of a campaign inside it: each in namespaces of its
# own, with the image's root, environment and entry point, and the index that Kubernetes would give it. No container
# runtime takes part: what one adds, limits and a network, is not tested. Needs root, a mirror of Debian, mmdebstrap, umoci.
set -euo pipefail

readonly IMAGE="$1" ORACLE="$2"
readonly SHARDS=6 PROGRAMS=300
# Where chroot is; tests of Bazel do not look there.
export PATH="${PATH}:/usr/sbin:/sbin"
work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT

fail() {
  echo "FAILED: $*"
  exit 1
}

status=0
"${IMAGE}" "${ORACLE}" "${work}/image.tar" || status=$?
if [[ "${status}" == 4 ]]; then
  echo "SKIPPED: no mirror of Debian answers this machine, so there is no image; run it where apt can install"
  exit 0
fi
[[ "${status}" == 0 ]] || fail "image.sh ended with status ${status}"
mkdir "${work}/layout" "${work}/shared"
tar -C "${work}/layout" -xf "${work}/image.tar"
umoci unpack --image "${work}/layout:latest" "${work}/bundle"
readonly root="${work}/bundle/rootfs"

printf '{"seed": 5, "shards": %s, "jobs": [{"programs": %s, "flags": {"features": "wrong"}}]}' \
  "${SHARDS}" "${PROGRAMS}" >"${work}/plan.json"
"${ORACLE}" campaign plan "${work}/plan.json" --out="${work}/shared/c" >/dev/null

# The entry point and environment, as a runtime would take them from the image.
read_config() {
  python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["process"][sys.argv[2]]))' \
    "${work}/bundle/config.json" "$1"
}
mapfile -t entry < <(read_config args)
mapfile -t environment < <(read_config env)
[[ "${entry[*]}" == "/oracle/oracle campaign run /campaign" ]] || fail "the entry point is ${entry[*]}"

# inside VARIABLE... -- COMMAND...: runs the command in the image, with the campaign at /campaign.
inside() {
  unshare --mount --pid --fork --kill-child --uts --ipc /bin/bash -c '
    set -e
    mount -t proc proc "$0/proc"
    mount --bind "$1" "$0/campaign"
    mount -t tmpfs tmpfs "$0/tmp"
    mount --rbind /dev "$0/dev"
    root="$0"; shift
    exec chroot "${root}" /usr/bin/env -i "$@"' "${root}" "${work}/shared/c" "$@"
}
if ! inside "${environment[@]}" /bin/true; then
  echo "SKIPPED: this machine gives no namespaces; the image was built and read, and cannot be entered; run it as root of a machine"
  exit 0
fi

for ((index = 0; index < SHARDS; ++index)); do
  inside "${environment[@]}" "JOB_COMPLETION_INDEX=${index}" "${entry[@]}" || fail "shard ${index} ended with status $?"
done
# The image merges, too; it has the page.
status=0
inside "${environment[@]}" "${entry[0]}" campaign merge /campaign >"${work}/merged" || status=$?
cat "${work}/merged"
[[ "${status}" == 1 ]] || fail "the merge ended with status ${status}, not with that of a finding"
grep -q "${SHARDS} of ${SHARDS} done" "${work}/merged" || fail "not all shards are done"
grep -q 'check --features=wrong: 1,800 programs' "${work}/merged" || fail "a Program was lost or counted twice"
grep -q 'findings       1 in 1 group' "${work}/merged" || fail "the planted fault is not one finding"
[[ -s "${work}/shared/c/merged/index.html" ]] || fail "there is no page"
# Whoever names no shard is told so: the same program, without its index.
if inside "${environment[@]}" "${entry[@]}" 2>"${work}/said"; then fail "a shard ran that nobody has named"; fi
grep -q 'no shard is named' "${work}/said" || fail "it says: $(cat "${work}/said")"
echo "passed: ${SHARDS} shards in the image"
