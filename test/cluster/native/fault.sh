#!/usr/bin/env bash
# fault.sh restart-api-server | silence IP | hear
set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../silence.sh"
case ${1:-} in
  restart-api-server)
    kill -9 "$(cat "$STATE/kube-apiserver.pid")"
    stop kube-apiserver
    start_api_server
    wait_for 60 "API server" "$BIN/kubectl" get --raw /readyz
    ;;
  silence) silence_pod "${2:?the address of a pod}" ;;
  hear) hear_pods ;;
  *) echo "usage: fault.sh restart-api-server | silence IP | hear" >&2; exit 2 ;;
esac
