#!/bin/bash
# Shows what plant.sh makes of sources and a patch, and which patches it refuses.
set -u
plant="$PWD/tools/rules/plant.sh"
cd "${TEST_TMPDIR:?}" || exit 1
failures=0

fail() {
  echo "$*"
  failures=$((failures + 1))
}

mkdir -p a
printf '#include "a/x.h"\nint Two() { return 2; }\n' >a/x.cc
printf 'int Other();\n' >a/y.cc
printf -- '--- a/x.cc\n+++ a/x.cc\n@@ -1,2 +1,2 @@\n #include "a/x.h"\n-int Two() { return 2; }\n+int Two() { return 3; }\n' >two.patch

root=bazel-out/k8/bin/mutants/two
"${plant}" "${root}" two two.patch a/x.cc a/y.cc || fail "the patch was refused"
copy="$(<"${root}/a/x.cc")"
for part in '#line 1 "a/x.cc"' 'return 3;' 'AddPlanted("two", "a/x.cc")'; do
  [[ "${copy}" == *"${part}"* ]] || fail "the copy lacks ${part}: ${copy}"
done
[[ "$(<a/x.cc)" == *'return 2;'* ]] || fail "the original has changed"

"${plant}" bazel-out/k8/bin/none none '' a/x.cc || fail "no patch was refused"
[[ "$(<bazel-out/k8/bin/none/a/x.cc)" == *'return 2;'* ]] || fail "a copy without a patch has changed"

printf 'int Four() { return 4; }\n' >a/x.cc
"${plant}" bazel-out/k8/bin/old old two.patch a/x.cc 2>/dev/null && fail "a patch that does not match was accepted"
"${plant}" bazel-out/k8/bin/other other two.patch a/y.cc 2>/dev/null && fail "a patch of another file was accepted"
exit "${failures}"
