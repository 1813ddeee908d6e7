#!/usr/bin/env bash
# fault.sh restart-api-server | silence IP | hear
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../silence.sh"
case ${1:-} in
  restart-api-server)
    pid=$(cat "$STATE/kube-apiserver.pid")
    kill -9 "$pid"
    while is_running "$pid"; do sleep 0.1; done
    wait_for 60 "API server" "$BIN/kubectl" get --raw /readyz
    ;;
  silence) silence_pod "${2:?the address of a pod}" ;;
  hear) hear_pods ;;
  *) echo "usage: fault.sh restart-api-server | silence IP | hear" >&2; exit 2 ;;
esac
