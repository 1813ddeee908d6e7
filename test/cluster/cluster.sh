#!/usr/bin/env bash
# A Kubernetes to test on, whatever this machine has:
#
#   cluster.sh up            starts it; prints its kubeconfig's path
#   cluster.sh load IMAGE... makes local images available to its pods
#   cluster.sh down          stops it and removes its state
#   cluster.sh fault WHAT... makes a fault: restart-api-server; silence IP (what connections a pod has to the API
#                            server fall silent for good); hear (ends that)
#   cluster.sh provider      says which one is used
#
# `given` when KUBECONFIG is set, `kind` where Docker runs, else `native`: the real
# components on this machine. CLUSTER_PROVIDER names one instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

provider() {
  if [ -n "${CLUSTER_PROVIDER:-}" ]; then echo "$CLUSTER_PROVIDER"; return; fi
  # What `up` printed may be exported: it stays the same cluster.
  if [ -n "${KUBECONFIG:-}" ]; then
    case $KUBECONFIG in
      "$(. "$here/native/lib.sh" && echo "$KUBECONFIG")") echo native ;;
      "$(. "$here/kind/lib.sh" && echo "$KIND_KUBECONFIG")") echo kind ;;
      *) echo given ;;
    esac
    return
  fi
  if command -v kind >/dev/null && docker info >/dev/null 2>&1; then echo kind; return; fi
  if [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] && command -v go >/dev/null && command -v apt-get >/dev/null &&
    unshare --mount --net true 2>/dev/null; then
    echo native; return
  fi
  cat >&2 <<'M'
No Kubernetes to test on. One of these is needed:
  - KUBECONFIG set to a cluster's kubeconfig (and IMAGE_REGISTRY, which its nodes pull from);
  - Docker running, and kind;
  - Debian or Ubuntu, Go, root with all its rights (no unprivileged container): a one-node cluster is then built and run on this machine.
M
  return 1
}

chosen=$(provider)
verb=${1:-}
case $verb in
  provider) echo "$chosen" ;;
  up | load | down | fault)
    shift
    [ -x "$here/$chosen/$verb.sh" ] || { echo "There is no provider $chosen; use given, kind or native." >&2; exit 2; }
    exec "$here/$chosen/$verb.sh" "$@"
    ;;
  *) echo "usage: cluster.sh up | load IMAGE... | down | fault WHAT... | provider" >&2; exit 2 ;;
esac
