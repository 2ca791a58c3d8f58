#!/bin/bash
# expect_report.sh PROGRAM REPORT SITE: succeeds if PROGRAM fails and its output holds REPORT and names SITE.
set -u
output="$("$1" 2>&1)"
status=$?
echo "${output}"
echo "--- $1 ended with status ${status}"
if [[ "${status}" == 0 ]]; then
  echo "[mutants] the planted defect ran unnoticed; '$2' was expected; check the flags of the configuration, or what the test looks at"
  exit 1
fi
for text in "$2" "$3"; do
  if ! grep -qF -- "${text}" <<<"${output}"; then
    echo "[mutants] the program failed without '${text}'; it must fail by that report"
    exit 1
  fi
done
