#!/bin/sh
# How many records match a query in each year since 2005. Requests counts only (limit=0).
#
#   COLLOQUY_KEY=clq_… sh examples/by-year.sh comments 'solar -/r/politics'
#
# BASE is the address of the server (default http://127.0.0.1:8080).
set -eu

kind=$1
query=$2

year=2005
while [ "$year" -le "$(date -u +%Y)" ]; do
  answer=$(curl --silent --show-error --fail-with-body --retry 5 --get "${BASE:-http://127.0.0.1:8080}/api/v1/search/$kind" \
    --header "Authorization: Bearer $COLLOQUY_KEY" \
    --data-urlencode "query=$query after:$year-01-01 before:$((year + 1))-01-01" \
    --data limit=0) || { echo "$answer" >&2; exit 1; }
  printf '%s\t%s\n' "$year" "$(echo "$answer" | sed 's/.*"total_count":\([0-9]*\).*/\1/')"
  year=$((year + 1))
done
