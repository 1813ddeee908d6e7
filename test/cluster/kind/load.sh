#!/usr/bin/env bash
set -euo pipefail
. "$(dirname "$0")/lib.sh"
kind load docker-image --name "$NAME" "$@" >&2
