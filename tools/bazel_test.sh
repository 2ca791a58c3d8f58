#!/bin/bash
# Runs tools/bazel on made-up machines: a folder stands for their files, and only the programs below are in their
# PATH. Each of these writes what it is asked into ${log}; the real Bazel prints its arguments, one in brackets each.
set -u
cd "$(dirname "$0")" || exit 1
failures=0

# machine [WORD...]: everything installed; a user called `root` or one that is not, with apt-get. The words `sudo`
# (one that asks no password) and `strict_sudo` (one that does) add a sudo, `no_apt` takes apt-get away, `stale`
# makes apt-cache know no package, `broken` makes every installation fail.
machine() {
  home="$(mktemp -d "${TEST_TMPDIR:-/tmp}/machine.XXXXXX")"
  log="${home}/log"
  local program file
  mkdir -p "${home}/bin" "${home}/tools" "${home}/files"
  # The tables name absolute paths at the beginnings of their lines: here they lie below ${home}/files.
  sed "s|^/|${home}/files/|" prerequisites.sh >"${home}/tools/prerequisites.sh"
  cp bazel "${home}/tools/bazel"
  while read -r file; do
    mkdir -p "$(dirname "${file}")" && touch "${file}"
  done < <(sed "s/\${ARCHITECTURE}/$(uname -m)/" "${home}/tools/prerequisites.sh" | grep -o "^${home}/files/[^ ]*")
  for program in dirname uname env; do ln -s "$(command -v "${program}")" "${home}/bin/${program}"; done
  make_program real-bazel 'echo "bazel $*" >>"${LOG}"; [[ "$1" != shutdown ]] || exit 0; for word; do printf "[%s]" "${word}"; done; exit 7'
  make_program id '[[ "$1" == -u ]] && echo "${USER_ID}"'
  [[ " $* " == *" no_apt "* ]] || make_program apt-get 'echo "apt-get $*" >>"${LOG}"; '"$([[ " $* " == *" broken "* ]] && echo 'exit 100')"
  make_program apt-cache "exit $([[ " $* " == *" stale "* ]] && echo 100 || echo 0)"
  [[ " $* " == *" sudo "* ]] && make_program sudo '[[ "$1" == -n ]] && exit 0; echo "sudo $*" >>"${LOG}"; "$@"'
  [[ " $* " == *" strict_sudo "* ]] && make_program sudo '[[ "$1" == -n ]] && exit 1; echo "sudo $*" >>"${LOG}"; "$@"'
  user_id="$([[ " $* " == *" root "* ]] && echo 0 || echo 1000)"
}

make_program() { printf '#!/bin/bash\n%s\n' "$2" >"${home}/bin/$1" && chmod +x "${home}/bin/$1"; }
remove() { rm "${home}/files/$1" || failures=$((failures + 1)); }

# wrapper ARGUMENT...: what tools/bazel does there: ${status}, ${said}, ${printed}, ${asked}.
wrapper() {
  : >"${log}"
  printed="$(env -i PATH="${home}/bin" LOG="${log}" USER_ID="${user_id}" BAZEL_REAL="${home}/bin/real-bazel" \
    "${home}/tools/bazel" "$@" 2>"${home}/said" </dev/null)"
  status=$?
  said="$(sed "s|${home}/||" "${home}/said")"
  asked="$(cat "${log}")"
}

# is WHAT ACTUAL EXPECTED
is() {
  [[ "$2" == "$3" ]] && return
  printf 'line %s: %s is\n%s\nexpected was\n%s\n' "${BASH_LINENO[0]}" "$1" "$2" "$3"
  failures=$((failures + 1))
}

# asks ARGUMENTS EXPECTED: the same for the words of one line, of which only ${asked} is looked at.
asks() {
  # shellcheck disable=SC2086 # a list of words by construction
  wrapper $1
  is "asked by $1" "${asked}" "$2"
}

readonly INSTALL="install -y --no-install-recommends"

# Nothing is missing: nothing is installed or said, and the real Bazel gets every argument and gives the status.
machine
wrapper run --config=tsan //a:b -- --name='two words' '' '*'
is status "${status}" 7
is printed "${printed}" "[run][--config=tsan][//a:b][--][--name=two words][][*]"
is said "${said}" ""
is asked "${asked}" "bazel run --config=tsan //a:b -- --name=two words  *"

# No root and no sudo: the exact command is printed, and nothing runs.
remove usr/bin/g++-12
remove usr/bin/patch
wrapper test //...
is status "${status}" 1
is said "${said}" "tools/bazel: this machine lacks: g++-12 patch; installing them takes root:
tools/bazel:   apt-get update && apt-get ${INSTALL} g++-12 patch"
is printed "${printed}" ""
is asked "${asked}" ""

# A sudo that asks for a password, and nobody at a terminal: the same.
machine strict_sudo
remove usr/bin/patch
wrapper test //...
is status "${status}" 1
is said "${said}" "tools/bazel: this machine lacks: patch; installing them takes root:
tools/bazel:   apt-get update && apt-get ${INSTALL} patch"
is asked "${asked}" ""

# As root: says what it installs, then hands over.
machine root
remove usr/bin/patch
wrapper test //...
is status "${status}" 7
is said "${said}" "tools/bazel: installing patch"
is asked "${asked}" "apt-get -q ${INSTALL} patch
bazel test //..."

# Package lists that do not know the package are read anew first.
machine root stale
remove usr/bin/patch
wrapper test //...
is status "${status}" 7
is asked "${asked}" "apt-get -q update
apt-get -q ${INSTALL} patch
bazel test //..."

# Through sudo.
machine sudo
remove usr/bin/patch
wrapper test //...
is status "${status}" 7
is asked "${asked}" "sudo env DEBIAN_FRONTEND=noninteractive apt-get -q ${INSTALL} patch
apt-get -q ${INSTALL} patch
bazel test //..."

# An installation that fails ends it, after new package lists were tried.
machine root broken
remove usr/bin/patch
wrapper test //...
is status "${status}" 1
is said "${said}" "tools/bazel: installing patch
tools/bazel: reading the package lists anew
tools/bazel: the packages could not be installed; see the messages above"
is asked "${asked}" "apt-get -q ${INSTALL} patch
apt-get -q update"

# Another distribution.
machine root no_apt
remove usr/bin/patch
wrapper test //...
is status "${status}" 1
is said "${said}" "tools/bazel: this machine lacks: patch; it has no apt-get, so install the equivalents by hand, then repeat the command"

# clang is asked for by the configurations that compile with it alone.
machine root
remove usr/bin/clang-19
for arguments in "test //..." "run //a:b -- --config=asan"; do asks "${arguments}" "bazel ${arguments}"; done
for configuration in clang asan ubsan tsan asan-ubsan asan-libfuzzer coverage training trained; do
  asks "test --config=${configuration} //..." "apt-get -q ${INSTALL} clang-19
bazel test --config=${configuration} //..."
done

# What makes a trained oracle calls bazel itself.
machine root
remove usr/bin/clang-19
asks "run //tools/oracle:trained -- --seed=1" "apt-get -q ${INSTALL} clang-19
bazel run //tools/oracle:trained -- --seed=1"

# A check needs neither what tests need nor the engine compiled against the model; nothing is installed for it.
machine root
remove usr/bin/dot
remove usr/bin/patch
remove usr/bin/zip
for arguments in "run //tools/oracle -- check --seed=1" "run //proptests:x -- explore"; do
  asks "${arguments}" "bazel ${arguments}"
done
for verb in explore replay; do
  asks "run --config=opt //tools/oracle -- ${verb} -- --seed=1" \
    "bazel run --config=opt //tools/oracle --define=explorer=yes -- ${verb} -- --seed=1"
done
asks "run //tools/oracle -- explain file" "apt-get -q ${INSTALL} graphviz
bazel run //tools/oracle -- explain file"
asks "--output_base=/x test //..." "apt-get -q ${INSTALL} patch graphviz
bazel --output_base=/x test //..."
asks "test --config=coverage //..." "apt-get -q ${INSTALL} patch graphviz zip
bazel test --config=coverage //..."

# gnuplot by a benchmark that draws.
machine root
remove usr/bin/gnuplot
asks "run //tools/bench:engine -- --plot=x.svg" "apt-get -q ${INSTALL} gnuplot-nox
bazel run //tools/bench:engine -- --plot=x.svg"
asks "run //fuzz:mutators -- --plot=x.svg" "apt-get -q ${INSTALL} gnuplot-nox
bazel run //fuzz:mutators -- --plot=x.svg"
asks "run //tools/bench:engine -- --json=x" "bazel run //tools/bench:engine -- --json=x"

# libtorch by what uses the distribution's; Bazel then looks anew for what lies outside the workspace.
machine root
remove usr/include/torch/csrc/api/include/torch/torch.h
for arguments in "check --engine=libtorch" "check --engine libtorch"; do
  asks "run //tools/oracle -- ${arguments}" "apt-get -q ${INSTALL} libtorch-dev
bazel shutdown
bazel run //tools/oracle --define=adapter=libtorch -- ${arguments}"
done
asks "run --config=opt //tools/bench:engine -- --sizes=1000" "apt-get -q ${INSTALL} libtorch-dev
bazel shutdown
bazel run --config=opt //tools/bench:engine -- --sizes=1000"
for arguments in "run //tools/oracle -- check" "run --repo_env=TORCH_ROOT=/opt/torch //tools/bench:engine" \
  "run --repo_env TORCH_ROOT=/opt/torch //tools/bench:engine" "test //tools/bench/..."; do
  asks "${arguments}" "bazel ${arguments}"
done

[[ "${failures}" == 0 ]] || { echo "[bazel] ${failures} expectations were not met; repeat with: tools/bazel test //tools:bazel_test"; exit 1; }
echo "all expectations met"
