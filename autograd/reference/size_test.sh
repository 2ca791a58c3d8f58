#!/bin/sh
# A reference is worth something while a person can read it: a file holds one concept, or one family
# of ops, in at most 300 lines. There is no limit on the number of files.
#
#   size_test.sh FOLDER

set -eu

status=0
for file in "$1"/*.cc "$1"/*.h; do
  lines=$(wc -l < "$file")
  if [ "$lines" -gt 300 ]; then
    echo "[reference] $file has $lines lines; at most 300 are allowed; split it by concept or by family of ops"
    status=1
  fi
done
exit $status
