#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/lib.sh"
kind delete cluster --name "$NAME" >&2
rm -f "$KIND_KUBECONFIG"
