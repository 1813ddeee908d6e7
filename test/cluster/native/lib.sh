# Sourced by the scripts beside it: where things are, and how a process is kept.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${NATIVE_CLUSTER_CACHE:-$HOME/.cache/native-cluster}   # binaries and images: kept between runs
STATE=${NATIVE_CLUSTER_STATE:-/var/tmp/native-cluster}       # one cluster: removed by down.sh
KUBECONFIG=$STATE/admin.kubeconfig
# Programs are stored under a digest of their sources, so that several checkouts do not disturb each other.
BIN=$CACHE/bin-$(cd "$HERE" && cat build.sh go.mod go.sum ./*.go ./*/*.go ingress/go.mod ingress/go.sum | git hash-object --stdin | cut -c1-12)
# 1.34 is the last minor version whose kubelet accepts cgroup v1 by default.
KUBERNETES_VERSION=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$HERE/go.mod")
INGRESS_ADDRESS=127.0.0.1:8088
NODE_VERSION=24; NPM_VERSION=11
BRIDGE=nc0; BRIDGE_IP=10.88.0.1; POD_CIDR=10.88.0.0/16; SERVICE_CIDR=10.96.0.0/16
export KUBECONFIG STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot

module_folder() { # module_folder FOLDER MODULE: where a module of FOLDER/go.mod is, or MODULE@VERSION
  (cd "$1" && go mod download -json "$2") | awk -F'"' '$2 == "Dir" { print $4 }'
}

ctr_() { ctr --address "$STATE/containerd.sock" --namespace k8s.io "$@"; }

start() { # start NAME COMMAND...: in the background, and again when it ends; its log and pids under $STATE
  local name=$1; shift
  setsid nohup "$HERE/keep.sh" "$STATE/$name.pid" "$@" >"$STATE/log/$name.log" 2>&1 </dev/null &
  echo $! >"$STATE/$name.keeper.pid"
}

is_running() { # is_running PID. A defunct process has no command line left.
  [ -s "/proc/$1/cmdline" ] && [ -n "$(tr -d '\0' <"/proc/$1/cmdline" 2>/dev/null)" ]
}

stop() { # stop NAME...: and wait until each is gone
  local name keeper
  for name in "$@"; do
    [ -f "$STATE/$name.keeper.pid" ] || continue
    keeper=$(cat "$STATE/$name.keeper.pid")
    kill "$keeper" 2>/dev/null || true
    for _ in $(seq 100); do is_running "$keeper" || break; sleep 0.1; done
    kill -9 "$keeper" "$(cat "$STATE/$name.pid" 2>/dev/null)" 2>/dev/null || true
    rm -f "$STATE/$name.pid" "$STATE/$name.keeper.pid"
  done
}

wait_for() { # wait_for SECONDS WHAT COMMAND...
  local seconds=$1 what=$2; shift 2
  for _ in $(seq $((seconds * 5))); do "$@" >/dev/null 2>&1 && return 0; sleep 0.2; done
  # The logs are gone with the cluster, so their ends are printed.
  tail -n 3 "$STATE"/log/*.log >&2 2>/dev/null || true
  echo "native-cluster: $what not ready after $seconds s; logs are in $STATE/log" >&2
  return 1
}

start_api_server() {
  (
    cd "$STATE/pki"
    start kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --bind-address=0.0.0.0 \
      --advertise-address="$BRIDGE_IP" --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key --client-ca-file=ca.crt \
      --service-account-key-file=sa.pub --service-account-signing-key-file=sa.key --service-account-issuer=https://kubernetes.default.svc \
      --service-cluster-ip-range="$SERVICE_CIDR" --authorization-mode=Node,RBAC --enable-admission-plugins=OwnerReferencesPermissionEnforcement --allow-privileged=true --profiling=false \
      --kubelet-client-certificate=admin.crt --kubelet-client-key=admin.key --kubelet-preferred-address-types=InternalIP --shutdown-delay-duration=0s
  )
}
