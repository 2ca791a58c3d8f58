#!/bin/bash
# plant.sh ROOT DEFECT PATCH SOURCE...: copies of SOURCEs below ROOT with PATCH applied; '' is no patch.
#
# PATCH names files from the root of the repository. Copies report the lines of their originals and say at start that
# they are linked (proptests/mutants/planted.h). No header is copied: the rest of the program would still be compiled
# with the original. Exit status 1 if a hunk does not apply, or if the patch changes a file that is not among the
# SOURCEs.
set -euo pipefail
root="$1" defect="$2" patch="$3"
shift 3

for source in "$@"; do
  mkdir -p "${root}/$(dirname "${source}")"
  cp "${source}" "${root}/${source}"
  chmod u+w "${root}/${source}"
done

if [[ -n "${patch}" ]] && ! patch -p0 --quiet --no-backup-if-mismatch -d "${root}" <"${patch}"; then
  echo "[mutants] ${patch} does not apply to: $*; mend the patch, or list every file that it changes" >&2
  exit 1
fi

for source in "$@"; do
  sed -i "1i #line 1 \"${source}\"" "${root}/${source}"
  cat >>"${root}/${source}" <<END
namespace twingrad::mutants {
void AddPlanted(const char* defect, const char* source);
}
[[gnu::constructor]] static void IsLinked() { twingrad::mutants::AddPlanted("${defect}", "${source}"); }
END
done
