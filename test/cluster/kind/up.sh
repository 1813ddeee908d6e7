#!/usr/bin/env bash
# A one-node kind cluster with Traefik as its ingress controller on 127.0.0.1:8088.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
if ! kind get clusters 2>/dev/null | grep -qx "$NAME"; then
  kind create cluster --name "$NAME" --config "$here/kind.yaml" --kubeconfig "$KIND_KUBECONFIG" --wait 120s >&2
fi
export KUBECONFIG=$KIND_KUBECONFIG
kubectl apply -f "$here/traefik.yaml" >&2
kubectl -n traefik rollout status deployment/traefik --timeout=180s >&2
echo "$KIND_KUBECONFIG"
