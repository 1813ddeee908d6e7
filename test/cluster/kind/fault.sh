#!/usr/bin/env bash
# fault.sh restart-api-server | silence IP | hear
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
node=$NAME-control-plane
on_node() { docker exec -i "$node" bash -s -- "$@"; }
case ${1:-} in
  # The kubelet starts it again.
  restart-api-server) docker exec "$node" sh -c 'crictl stop --timeout 0 $(crictl ps --name kube-apiserver --quiet)' ;;
  silence) { cat "$here/../silence.sh"; echo 'silence_pod "$1"'; } | on_node "${2:?the address of a pod}" ;;
  hear) { cat "$here/../silence.sh"; echo hear_pods; } | on_node ;;
  *) echo "usage: fault.sh restart-api-server | silence IP | hear" >&2; exit 2 ;;
esac
