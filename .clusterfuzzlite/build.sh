#!/bin/bash
# Builds fuzz targets for a service of the ClusterFuzz kind:
#
#   CC CXX CFLAGS CXXFLAGS      the compiler, and its flags for the sanitizer and for coverage
#   LIB_FUZZING_ENGINE          what links the fuzzing engine
#   SANITIZER FUZZING_ENGINE    their names
#   OUT                         where the targets go, with what lies beside each: NAME, NAME_seed_corpus.zip,
#                               NAME.options, NAME.dict; and lib, the shared libraries that a bare machine lacks
#
#   build.sh [NAME...]          all targets of //fuzz, or these
#
# Third-party C++ is built from source with the same flags; what the distribution has is C, or C underneath. With
# -stdlib=libc++ in CXXFLAGS, all of it is built for that library.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
for name in CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE OUT SANITIZER FUZZING_ENGINE; do
  if [[ -z "${!name+set}" ]]; then
    echo "[build] ${name} is not set; needed are the variables of the service; see the head of $0" >&2
    exit 2
  fi
done

# Options before the command, such as --output_base=DIR.
read -r -a startup <<<"${BAZEL_STARTUP:-}"
# The links of another build in this folder stay as they are.
flags=(--config=fuzzing-service --experimental_convenience_symlinks=ignore "--repo_env=CC=${CC}" "--repo_env=CXX=${CXX}")
for flag in ${CFLAGS}; do flags+=("--conlyopt=${flag}"); done
for flag in ${CXXFLAGS}; do flags+=("--cxxopt=${flag}" "--linkopt=${flag}"); done
for flag in ${LIB_FUZZING_ENGINE}; do flags+=("--linkopt=${flag}"); done
# shellcheck disable=SC2016 # the loader reads $ORIGIN
flags+=('--linkopt=-Wl,-rpath,$ORIGIN/lib')
if [[ " ${CXXFLAGS} " == *" -stdlib=libc++ "* ]]; then flags+=(--repo_env=BAZEL_LINKLIBS=-lc++:-lm); fi

bazel() { tools/bazel "${startup[@]}" "$@"; }

targets=("$@")
if [[ ${#targets[@]} == 0 ]]; then
  mapfile -t targets < <(bazel query 'attr(tags, "fuzz-target", //fuzz:all) except filter("\.", //fuzz:all)' | sed 's/.*://')
fi

echo "${SANITIZER} build for ${FUZZING_ENGINE}: ${targets[*]}"
bazel build "${flags[@]}" "${targets[@]/#///fuzz:}" $(printf '//fuzz:%s_pack ' "${targets[@]}")
built="$(bazel info "${flags[@]}" bazel-bin)/fuzz"

mkdir -p "${OUT}/lib"
for target in "${targets[@]}"; do
  install -m 755 "${built}/${target}" "${OUT}/"
  for file in "${built}/pack/${target}"{_seed_corpus.zip,.options,.dict}; do
    if [[ -e "${file}" ]]; then install -m 644 "${file}" "${OUT}/"; fi
  done
  # The C library and the loader are the machine's own, and must be.
  ldd "${OUT}/${target}" | awk '$3 ~ "^/" {print $3}' |
    grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so[.0-9]*$' |
    xargs -r -I{} install -m 644 {} "${OUT}/lib/"
done
