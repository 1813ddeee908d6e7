#!/usr/bin/env bash
# Checks the chart without a cluster: helm lint --strict, every file of values/ rendered,
# validated against Kubernetes' own schemas (kubeconform) and scored (kube-score), and what
# must not be rendered is refused. The tools are built from Go modules, once: two and a half
# minutes on 2 cores.
#
#   check.sh                 checks; fails where it cannot
#   check.sh --if-possible   checks where it can, else says that it did not, and why
#   check.sh --missing       says what it lacks, and fails; silent when it lacks nothing
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/test/cluster/native/lib.sh"
export PATH=$root/node_modules/.bin:$PATH
schemas=$CACHE/schemas-$KUBERNETES_VERSION

tools=(helm kubeconform kube-score)
build=$root/test/cluster/native/build.sh

has_all() { "$build" --missing "${tools[@]}" >/dev/null && [ -f "$schemas/done" ]; }
if ! command -v go >/dev/null && ! has_all; then
  missing="Go, which ${tools[*]} are built with"
  case ${1:-} in
    --missing) echo "$missing"; exit 1 ;;
    --if-possible) echo "The chart was NOT checked: this machine has no $missing."; exit 0 ;;
    *) echo "The chart's checks need $missing." >&2; exit 1 ;;
  esac
fi
[ "${1:-}" != --missing ] || exit 0

if ! timeout 900 "$build" "${tools[@]}"; then
  [ "${1:-}" = --if-possible ] || exit 1
  echo "The chart was NOT checked: its tools could not be built; see above."
  exit 0
fi

native=$root/test/cluster/native
if [ ! -f "$schemas/done" ]; then
  node "$root/scripts/kubernetes-schemas.ts" "$schemas" \
    "$(module_folder "$native" k8s.io/kubernetes)/api/openapi-spec/swagger.json" \
    "$(module_folder "$native" sigs.k8s.io/gateway-api@v1.0.0)/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" \
    "$(module_folder "$native" github.com/prometheus-operator/prometheus-operator@v0.75.0)/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"
  touch "$schemas/done"
fi

chart=$root/charts/site-validator
echo "== values"
node "$root/scripts/chart-values.ts"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
node "$root/scripts/kubernetes-schemas.ts" "$work/own" <(echo '{"definitions": {}}') "$root"/crds/*.yaml
conform() {
  "$BIN/kubeconform" -strict -summary -schema-location "$schemas/{{.ResourceKind}}{{.KindSuffix}}.json" \
    -schema-location "$work/own/{{.ResourceKind}}{{.KindSuffix}}.json" "$@"
}

# What kube-score requires and the chart does without, and why:
#   container-image-pull-policy: releases have tags that do not move, and IfNotPresent starts
#     without the registry; image.pullPolicy=Always is a value.
#   CPU limits: they throttle a pod on an idle node. Requests are set.
# Annotated where they are (kube-score/ignore):
#   networkpolicy-targets-pod: the pods of Jobs are made later, by the controller.
#   container-security-context-user-group-id: PostgreSQL's image has a user of its own, 999.
exceptions=(--ignore-test container-image-pull-policy --ignore-container-cpu-limit)

for values in "$here"/values/*.yaml; do
  name=$(basename "$values" .yaml)
  echo "== $name"
  "$BIN/helm" lint --strict --quiet "$chart" --values "$values"
  "$BIN/helm" template trial "$chart" --namespace validation --values "$values" >"$work/$name.yaml"
  conform "$work/$name.yaml"
  # kube-score naturally misses what minimal.yaml switches off.
  off=(); [ "$name" != minimal ] || off=(--ignore-test pod-networkpolicy --ignore-test deployment-has-poddisruptionbudget)
  "$BIN/kube-score" score "${exceptions[@]}" ${off[@]+"${off[@]}"} --kubernetes-version v1.34 --exit-one-on-warning --output-format ci "$work/$name.yaml" \
    >"$work/score" || { grep -v '^\[OK\]\|^\[SKIPPED\]' "$work/score"; exit 1; }
done

echo "== manifests"
HELM=$BIN/helm "$root/scripts/render-manifests.sh" --check
conform "$root/manifests/install.yaml" "$root"/manifests/samples/*.yaml

echo "== refused"
refuse() { # refuse WORDS FLAG...: rendering must fail, and say so
  local words=$1 answer; shift
  if answer=$("$BIN/helm" template trial "$chart" "$@" 2>&1); then echo "rendered, and must not be: $*" >&2; exit 1; fi
  grep -q -- "$words" <<<"$answer" || { echo "refused with other words: $answer" >&2; exit 1; }
}
refuse "No database" --set postgresql.enabled=false
refuse "replicaz" --set api.replicaz=3
refuse "parentRefs" --set httpRoute.enabled=true
refuse "allowedPrivateCidrs" --set 'allowedPrivateCidrs={everything}'
echo "refused as they must be"
