#!/bin/bash
# Packs what check.sh needs on a machine with a GPU that has neither Bazel nor a compiler.
#
#   tools/bazel run //tools/cuda:pack -- /tmp/cuda-check.tar.xz
#   tar -xf cuda-check.tar.xz && cuda-check/check.sh          # there
#
# The tests, `oracle` and the contestants over the CUDA runtime, the goldens, and the shared libraries that a plain
# machine lacks; the driver's is the machine's own. Exit status 2 if the archive cannot be written.
set -euo pipefail

if [[ $# != 1 ]]; then
  echo "[cuda] $# words; the archive to write is the one; say: tools/bazel run //tools/cuda:pack -- /tmp/cuda-check.tar.xz" >&2
  exit 2
fi
archive="$1"
[[ ${archive} == /* ]] || archive="${BUILD_WORKING_DIRECTORY:-${PWD}}/${archive}"

work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
readonly pack="${work}/cuda-check"
mkdir -p "${pack}/lib"

# Programs and what they read, at their places in the repository, without what only a debugger reads.
cp -rL . "${pack}"
mv "${pack}/tools/cuda/check.sh" "${pack}/"
rm -r "${pack}/tools/cuda"
mapfile -t programs < <(find "${pack}/cuda" "${pack}/tools" -type f -perm -u+x ! -name '*.sh' ! -name '*.py')
chmod -R u+w "${pack}"
strip "${programs[@]}"

# Which sources these are.
git -C "${BUILD_WORKSPACE_DIRECTORY:-.}" describe --always --dirty --abbrev=40 >"${pack}/commit" || echo unknown >"${pack}/commit"

# Libraries beside the C and C++ run-time, which every machine has.
for program in "${programs[@]}"; do
  ldd "${program}" | awk '$3 ~ /^\// { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so' | while read -r library; do
  cp -L "${library}" "${pack}/lib/"
done

tar -C "${work}" -cf - cuda-check | xz -T0 -3 >"${archive}.part" && mv "${archive}.part" "${archive}" || {
  echo "[cuda] cannot write ${archive}; a place with room for it is needed; name another" >&2
  exit 2
}
printf '%s: %s, %d programs\n' "${archive}" "$(du -h "${archive}" | cut -f1)" "${#programs[@]}"
