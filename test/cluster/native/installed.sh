#!/usr/bin/env bash
# Says by its exit code whether install.sh has nothing left to build.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
for program in "kubernetes-$KUBERNETES_VERSION" pause coredns helm traefik; do [ -x "$BIN/$program" ] || exit 1; done
