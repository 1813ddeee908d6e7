#!/usr/bin/env bash
# Starts a one-node Kubernetes on this machine, without Docker: a real API server,
# scheduler, kubelet and container runtime. Needs root. Prints the kubeconfig's path.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$HERE/install.sh"

# Volumes for claims, since there is no provisioner here. Open to all users, for pods that are not root.
# A volume whose claim is gone is created again, empty.
make_volumes() {
  local name
  for name in $("$BIN/kubectl" get persistentvolumes -o jsonpath='{range .items[?(@.status.phase=="Released")]}{.metadata.name}{" "}{end}'); do
    "$BIN/kubectl" delete persistentvolume "$name" --timeout=30s >/dev/null
    rm -rf "${STATE:?}/volumes/${name#native-}"
  done
  for number in $(seq 24); do
    install -d -m 0777 "$STATE/volumes/$number"
    cat <<V
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "native-$number"}, "spec": {
  "capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "standard",
  "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "$STATE/volumes/$number"}}}
V
  done | "$BIN/kubectl" apply -f - >/dev/null
}

obey_policies() {
  iptables -S KUBE-NWPLCY-DEFAULT >/dev/null 2>&1 && kill -0 "$(cat "$STATE/network-policies.keeper.pid" 2>/dev/null)" 2>/dev/null && return
  start network-policies "$BIN/network-policies" --kubeconfig="$KUBECONFIG" --hostname-override=node --service-cluster-ip-range="$SERVICE_CIDR"
  wait_for 30 "the rules of NetworkPolicies" iptables -S KUBE-NWPLCY-DEFAULT
}

if "$BIN/kubectl" get --raw /readyz >/dev/null 2>&1; then make_volumes; obey_policies; echo "$KUBECONFIG"; exit 0; fi
# What is left of a cluster that ended without down.sh would be in the way of the new one.
[ ! -d "$STATE" ] || "$HERE/down.sh"
# The output must say what went wrong, for those who see nothing else, as in CI.
show_logs() {
  echo "native-cluster: the cluster did not start. The last lines of each log:" >&2
  for log in "$STATE"/log/*.log; do
    [ ! -f "$log" ] || { echo "== $log" >&2; tail -n 30 "$log" >&2; }
  done
}
trap '[ $? = 0 ] || show_logs' EXIT
mkdir -p "$STATE"/{pki,log,etcd,kubelet,containerd,cni}
cd "$STATE/pki"

certificate() { # certificate NAME SUBJECT EXTENSION
  openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "$2" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -out "$1.crt" -extfile <(echo "$3") 2>/dev/null
}
if [ ! -f admin.crt ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -keyout ca.key -out ca.crt -subj /CN=native-cluster 2>/dev/null
  openssl genrsa -out sa.key 2048 2>/dev/null
  openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
  certificate apiserver /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,IP:10.96.0.1,IP:$BRIDGE_IP,DNS:localhost,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
  certificate kubelet /CN=node "subjectAltName=IP:127.0.0.1,IP:$BRIDGE_IP,DNS:node"
  certificate admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
fi
cat >"$KUBECONFIG" <<K
apiVersion: v1
kind: Config
clusters: [{name: native, cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: $(base64 -w0 ca.crt)}}]
users: [{name: admin, user: {client-certificate-data: $(base64 -w0 admin.crt), client-key-data: $(base64 -w0 admin.key)}}]
contexts: [{name: native, context: {cluster: native, user: admin}}]
current-context: native
K

sysctl -qw net.ipv4.ip_forward=1
# Pods communicate over a bridge: their packets must pass the rules of Services and NetworkPolicies.
[ -e /proc/sys/net/bridge ] || modprobe br_netfilter
sysctl -qw net.bridge.bridge-nf-call-iptables=1
ip link show "$BRIDGE" >/dev/null 2>&1 || { ip link add "$BRIDGE" type bridge; ip addr add "$BRIDGE_IP/16" dev "$BRIDGE"; ip link set "$BRIDGE" up; }
cat >"$STATE/cni/10-bridge.conflist" <<C
{"cniVersion": "0.4.0", "name": "native", "plugins": [
  {"type": "bridge", "bridge": "$BRIDGE", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/ipam", "ranges": [[{"subnet": "$POD_CIDR"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
C
cat >"$STATE/containerd/config.toml" <<C
version = 2
root = "$STATE/containerd/root"
state = "$STATE/containerd/state"
[grpc]
  address = "$STATE/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$STATE/cni"
C
cat >"$STATE/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $STATE/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $STATE/pki/kubelet.crt
tlsPrivateKeyFile: $STATE/pki/kubelet.key
cgroupDriver: cgroupfs
failSwapOn: false
clusterDNS: ["$BRIDGE_IP"]
clusterDomain: cluster.local
resolvConf: /dev/null
containerRuntimeEndpoint: unix://$STATE/containerd.sock
evictionHard: {memory.available: 100Mi, nodefs.available: "1%", imagefs.available: "1%"}
imageGCHighThresholdPercent: 100
localStorageCapacityIsolation: false
C
cat >"$STATE/Corefile" <<C
.:53 {
  bind $BRIDGE_IP
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $KUBECONFIG
  }
  cache 5
}
C

start etcd "$BIN/etcd" --data-dir "$STATE/etcd" --unsafe-no-fsync \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
start containerd containerd --config "$STATE/containerd/config.toml"
start_api_server
wait_for 60 "API server" "$BIN/kubectl" get --raw /readyz
start kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$KUBECONFIG" --leader-elect=false --use-service-account-credentials=true \
  --service-account-private-key-file=sa.key --root-ca-file=ca.crt --allocate-node-cidrs=false
start kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$KUBECONFIG" --leader-elect=false
start coredns "$BIN/coredns" -conf "$STATE/Corefile"
wait_for 30 containerd ctr_ version
ctr_ images import "$BIN/pause.tar" >/dev/null
start kubelet "$BIN/kubelet" --kubeconfig="$KUBECONFIG" --config="$STATE/kubelet.yaml" --hostname-override=node \
  --node-ip="$BRIDGE_IP" --root-dir="$STATE/kubelet" --cert-dir="$STATE/pki"
start kube-proxy "$BIN/kube-proxy" --kubeconfig="$KUBECONFIG" --hostname-override=node --proxy-mode=iptables --cluster-cidr="$POD_CIDR" --conntrack-max-per-core=0
start traefik "$BIN/traefik" --entrypoints.web.address="$INGRESS_ADDRESS" --providers.kubernetesingress.ingressclass=traefik \
  --log.level=WARN --global.checknewversion=false --global.sendanonymoususage=false
wait_for 60 "the node" "$BIN/kubectl" wait --for=condition=Ready node/node --timeout=1s
obey_policies
echo '{"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": "traefik"}, "spec": {"controller": "traefik.io/ingress-controller"}}' |
  "$BIN/kubectl" apply -f - >/dev/null
make_volumes
"$BIN/kubectl" apply -f - >/dev/null <<'V'
{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kubernetes.io/no-provisioner",
 "metadata": {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}}
V
# The kubelet does not measure disks here, but pods may still request ephemeral storage. A
# kubelet that has just started overwrites what it does not know, so check again.
disk='{"ephemeral-storage": "50Gi"}'
has_disk() {
  "$BIN/kubectl" patch node node --subresource=status -p "{\"status\": {\"capacity\": $disk, \"allocatable\": $disk}}"
  sleep 2
  "$BIN/kubectl" get node node -o jsonpath='{.status.capacity} {.status.allocatable}' | grep -q 'ephemeral.*ephemeral'
}
wait_for 30 "the node's disk" has_disk
echo "$KUBECONFIG"
