#!/usr/bin/env bash
# `npm run check`: every check, then the tests. Goes on after a failure, so that one run tells all.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

failed=()
for name in "${CHECKS[@]/#/check:}" test; do
  echo "── $name"
  npm run --silent "$name" </dev/null || failed+=("$name")
done
if ((${#failed[@]} > 0)); then
  echo "failed: ${failed[*]}"
  exit 1
fi
echo "all checks passed"
