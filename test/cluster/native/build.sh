#!/usr/bin/env bash
# build.sh PROGRAM...: builds programs from Go modules into the cache, unless they are there:
# kubernetes, network-policies, coredns, traefik, helm, kubeconform, kube-score, pause.
# Needs Go (the version in go.mod) and nothing else. Versions are locked by go.mod and
# ingress/go.mod; two tools that compile with other libraries have theirs below.
#
#   build.sh --missing PROGRAM...   says which of them are not built, and fails when there are any
set -euo pipefail
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" = --missing ]; then
  shift
  missing=0
  for program; do [ -x "$BIN/$program" ] || { echo "$program"; missing=1; }; done
  exit $missing
fi

mkdir -p "$BIN"
touch "$BIN"
# What was not used for a month is of sources that are gone.
find "$CACHE" -mindepth 1 -maxdepth 1 -name 'bin-*' -mtime +30 -exec rm -rf {} +
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# All without cgo and with the same flags, so that what they share is compiled once.
export CGO_ENABLED=0
flags=(-trimpath -buildvcs=false)

go_build() { # go_build FOLDER PACKAGE LDFLAGS FLAG...
  (cd "$HERE/$1" && go build "${flags[@]}" -o "$work/program" -ldflags "-s -w $3" "${@:4}" "$2")
}
go_install() { # go_install PACKAGE@VERSION
  GOBIN=$work go install "${flags[@]}" -ldflags '-s -w' "$1" && mv "$work/$program" "$work/program"
}

# Half of what Traefik compiles are clients of DNS services that answer challenges for
# certificates. In a copy of their module the file that imports them is ours.
traefik() {
  local lego=github.com/go-acme/lego/v4
  cp -r "$(module_folder "$HERE/ingress" $lego)" "$work/lego"
  chmod -R u+w "$work/lego"
  cp "$HERE/ingress/dns_providers.go" "$work/lego/providers/dns/dns_providers.go"
  cp "$HERE/ingress/go.mod" "$HERE/ingress/go.sum" "$work"
  echo "replace $lego => $work/lego" >>"$work/go.mod"
  go_build ingress github.com/traefik/traefik/v3/cmd/traefik '' -modfile "$work/go.mod"
}

# -X flags that set packages' variables to Kubernetes' version, as releases do.
version_flags() { # version_flags NAME_MAJOR NAME_MINOR PACKAGE...
  local minor=${KUBERNETES_VERSION#v1.} package
  for package in "${@:3}"; do printf '%s ' "-X $package.$1=1 -X $package.$2=${minor%%.*}"; done
}

for program; do
  [ ! -x "$BIN/$program" ] || continue
  start=$SECONDS
  case $program in
    kubernetes)
      version=k8s.io/component-base/version
      go_build . . "-X $version.gitVersion=$KUBERNETES_VERSION $(version_flags gitMajor gitMinor $version)" ;;
    coredns) go_build . ./dns '' ;;
    network-policies) go_build . ./policies '' ;;
    pause) go_build . ./pause '' ;;
    helm)
      helm=helm.sh/helm/v4
      go_build . $helm/cmd/helm "$(version_flags k8sVersionMajor k8sVersionMinor $helm/pkg/chart/common $helm/pkg/chart/v2/lint/rules)" ;;
    kubeconform) go_install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0 ;;
    kube-score) go_install github.com/zegl/kube-score/cmd/kube-score@v1.20.0 ;;
    traefik) traefik ;;
    *) echo "There is no program $program here." >&2; exit 2 ;;
  esac
  # A build that was killed leaves nothing that looks like a program.
  mv "$work/program" "$BIN/$program"
  echo "native-cluster: built $program in $((SECONDS - start)) s" >&2
done
