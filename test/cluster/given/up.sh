#!/usr/bin/env bash
# A cluster that exists already: only checks whether it responds.
set -euo pipefail
: "${KUBECONFIG:?must name a kubeconfig}"
kubectl get --raw /readyz >/dev/null
echo "$KUBECONFIG"
