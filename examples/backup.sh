#!/bin/sh
# Copies the data folder while it is in use, reads the copy back, and keeps the newest copies:
#   sh backup.sh /var/backups/colloquy 3
# Old copies are deleted only when the new one is complete. Exit code 0: the new copy is complete.
set -eu

folder=$1
keep=${2:-3}
copy=$folder/$(date -u +%Y-%m-%dT%H%M%SZ)

# Remains of interrupted copies.
rm -rf "${folder:?}"/????-??-??T??????Z.part

colloquy backup "$copy"
colloquy check --data "$copy"

for old in $(ls "$folder" | grep -E '^[0-9-]{10}T[0-9]{6}Z$' | sort -r | tail -n "+$((keep + 1))"); do
  rm -r "${folder:?}/$old"
done
