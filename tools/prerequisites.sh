# What this repository needs of a Debian 12 machine, and how it gets there. Sourced by tools/bazel and .ci/run.
#
#   ensure base clang    installs the packages of these groups that are missing; ends the program if it cannot
#
# A package counts as present if one of its files is there: that costs milliseconds, where dpkg costs half a
# second. Installing takes root, or sudo; with neither, the command to run is printed.
# shellcheck shell=bash

ARCHITECTURE="$(uname -m)"

# Each group: a file that stands for a package, and the package.
#   base      every build: Bazel, GCC, what unpacks third-party archives, ball arithmetic for the witness of that name, an allocator, matrix products,
#             results of campaigns, what lays out the oracle's code; `run //tools/oracle -- check` needs no more
#   test      building and running tests: patched copies, a test that reads machine code, drawn pictures, a project of a
#             user of the installed library, beside the distribution's Abseil
#   pictures  `oracle explain`
#   plots     a benchmark's --plot
#   valgrind  a test that counts instructions, and --config=valgrind
#   clang     the sanitizers and every other configuration that compiles with clang
#   afl       --config=afl, with clang: AFL++
#   coverage  --config=coverage, with clang: Bazel packs the profiles of a test with zip
#   libtorch  the distribution's libtorch, where the oracle or a benchmark runs it
#   slurm     a test that runs a campaign on a Slurm of this host
#   image     the container image of a campaign, and its test
#   browser   a test of the page of a campaign, which is skipped without it (122 MB to fetch, half a minute)
#   format    the formatting stage of .ci/run
readonly PACKAGES_base="
/usr/bin/bazel                              bazel-bootstrap
/usr/share/bazel/tools/skylib/lib/paths.bzl bazel-skylib
/usr/share/bazel/tools/platforms/WORKSPACE  bazel-platforms
/usr/share/bazel/rules/java/WORKSPACE       bazel-rules-java
/usr/share/bazel/rules/proto/WORKSPACE      bazel-rules-proto
/usr/bin/g++-12                             g++-12
/usr/bin/python3                            python3
/usr/bin/bzip2                              bzip2
/usr/bin/xz                                 xz-utils
/usr/include/arb.h                          libflint-arb-dev
/usr/include/gperftools/tcmalloc.h          libgoogle-perftools-dev
/usr/include/dnnl.h                         libdnnl-dev
/usr/include/sqlite3.h                      libsqlite3-dev
/usr/bin/llvm-bolt-19                       bolt-19
"
readonly PACKAGES_test="
/usr/bin/patch                              patch
/usr/bin/objdump                            binutils
/usr/bin/dot                                graphviz
/usr/bin/cmake                              cmake
/usr/bin/make                               make
/usr/bin/pkg-config                         pkg-config
/usr/include/absl/base/config.h             libabsl-dev
"
readonly PACKAGES_valgrind="
/usr/bin/valgrind                           valgrind
"
readonly PACKAGES_pictures="
/usr/bin/dot                                graphviz
"
readonly PACKAGES_plots="
/usr/bin/gnuplot                            gnuplot-nox
"
readonly PACKAGES_afl="
/usr/bin/afl-fuzz                           afl++
"
readonly PACKAGES_coverage="
/usr/bin/zip                                zip
"
readonly PACKAGES_clang="
/usr/bin/clang-19                           clang-19
/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-${ARCHITECTURE}.a libclang-rt-19-dev
/usr/bin/ld.lld-19                          lld-19
/usr/lib/llvm-19/bin/llvm-symbolizer        llvm-19
"
# Engines of others that Debian packages: each a group, and a row of tools/adapters/adapters.bzl.
# shellcheck disable=SC2034 # read by tools/bazel
readonly ENGINES="libtorch"
readonly PACKAGES_libtorch="
/usr/include/torch/csrc/api/include/torch/torch.h libtorch-dev
"
readonly PACKAGES_slurm="
/usr/sbin/slurmctld                         slurmctld
/usr/sbin/slurmd                            slurmd
/usr/bin/sbatch                             slurm-client
/usr/sbin/munged                            munge
"
readonly PACKAGES_image="
/usr/bin/mmdebstrap                         mmdebstrap
/usr/bin/umoci                              umoci
"
readonly PACKAGES_browser="
/usr/bin/chromium                           chromium
"
readonly PACKAGES_format="
/usr/bin/clang-format-14                    clang-format-14
/usr/bin/git                                git
"

say() { echo "$0: $*" >&2; }

# missing_of GROUP...: prints the packages whose file is absent.
missing_of() {
  local group table file package
  for group; do
    table="PACKAGES_${group}"
    while read -r file package; do
      [[ -z "${file}" || -e "${file}" ]] || printf '%s ' "${package}"
    done <<<"${!table}"
  done
}

# install PACKAGE...: reads the package lists anew only where they do not know one of them, or are stale.
install() {
  local as_root=() apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  local arguments=(install -y --no-install-recommends "$@")
  if ! command -v apt-get >/dev/null; then
    say "this machine lacks: $*; it has no apt-get, so install the equivalents by hand, then repeat the command"
    exit 1
  fi
  if [[ "$(id -u)" != 0 ]]; then
    if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
      say "this machine lacks: $*; installing them takes root:"
      say "  apt-get update && apt-get ${arguments[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  say "installing $*"
  if apt-cache show "$@" >/dev/null 2>&1 && "${as_root[@]}" "${apt[@]}" "${arguments[@]}" >&2; then
    return
  fi
  say "reading the package lists anew"
  if ! { "${as_root[@]}" "${apt[@]}" update && "${as_root[@]}" "${apt[@]}" "${arguments[@]}"; } >&2; then
    say "the packages could not be installed; see the messages above"
    exit 1
  fi
}

ensure() {
  local missing
  missing="$(missing_of "$@")"
  if [[ -n "${missing}" ]]; then
    # shellcheck disable=SC2086 # a list of words by construction
    install ${missing}
  fi
}
