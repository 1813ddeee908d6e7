#!/usr/bin/env bash
# keep.sh PIDFILE COMMAND...: runs a program, and again when it has ended, as systemd and the kubelet do with the
# components of a cluster. PIDFILE holds the program's pid while it runs. TERM ends both.
set -u
pidfile=$1; shift
child=
ended() {
  [ -z "$child" ] || kill "$child" 2>/dev/null
  wait
  rm -f "$pidfile"
  exit 0
}
trap ended TERM
while true; do
  "$@" &
  child=$!
  echo "$child" >"$pidfile"
  wait "$child"; status=$?
  # Absent while no program runs: who waits for the next one does not take the last one for it.
  rm -f "$pidfile"
  child=
  echo "== ended with $status; it is started again"
  sleep 1
done
