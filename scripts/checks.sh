# The checks besides the tests, in the order in which they run: `npm run check:NAME` for each.
# Read by scripts/check.sh and .ci/run.
# shellcheck disable=SC2034
CHECKS=(format lint types imports dead-code words config contract)
