#!/usr/bin/env bash
# build.sh PROGRAM...: builds programs into the cache, from Go modules of the versions that
# go.mod and ingress/go.mod lock, unless they are there. Needs Go and nothing else.
# Programs are kubernetes, network-policies, coredns, traefik, helm, kubeconform, kube-score, pause.
#
#   build.sh --missing PROGRAM...   says which of them are not built, and fails when there are any
set -euo pipefail
. "$(dirname "$0")/lib.sh"
check=; [ "${1:-}" != --missing ] || { check=yes; shift; }

# Other sources are other programs.
sources=$(cd "$HERE" && cat go.mod go.sum ./*.go ./*/*.go ingress/go.mod ingress/go.sum | sha256sum)
if [ "$(cat "$BIN/sources" 2>/dev/null)" != "$sources" ] && [ -z "$check" ]; then
  rm -rf "$BIN"; mkdir -p "$BIN"; echo "$sources" >"$BIN/sources"
fi

go_build() { # go_build FOLDER PACKAGE FLAG...: without cgo, so that all share one build of Go's own packages
  (cd "$HERE/$1" && CGO_ENABLED=0 go build -trimpath -o "$BIN/$program" "${@:3}" "$2")
}

# Half of what Traefik compiles are clients of DNS services that answer challenges for
# certificates. In a copy of their module the file that imports them is ours.
traefik() {
  local lego=github.com/go-acme/lego/v4 copy
  copy=$(mktemp -d)
  cp -r "$(module_folder "$HERE/ingress" $lego)" "$copy/lego"
  chmod -R u+w "$copy/lego"
  cp "$HERE/ingress/dns_providers.go" "$copy/lego/providers/dns/dns_providers.go"
  cp "$HERE"/ingress/go.{mod,sum} "$copy"
  echo "replace $lego => $copy/lego" >>"$copy/go.mod"
  go_build ingress github.com/traefik/traefik/v3/cmd/traefik -ldflags '-s -w' -modfile "$copy/go.mod"
  rm -rf "$copy"
}

# -X flags that set PACKAGE's variables for Kubernetes' version, as releases do: NAME_MAJOR NAME_MINOR PACKAGE...
version_flags() {
  local minor=${KUBERNETES_VERSION#v1.} package
  for package in "${@:3}"; do echo "-X $package.$1=1 -X $package.$2=${minor%%.*}"; done
}

for program; do
  [ "$(cat "$BIN/sources" 2>/dev/null)" = "$sources" ] && [ -x "$BIN/$program" ] && continue
  [ -z "$check" ] || { echo "$program"; missing=yes; continue; }
  start=$SECONDS
  case $program in
    kubernetes)
      version=k8s.io/component-base/version
      go_build . . -ldflags "-s -w -X $version.gitVersion=$KUBERNETES_VERSION $(version_flags gitMajor gitMinor $version)" ;;
    coredns) go_build . ./dns -ldflags '-s -w' ;;
    network-policies) go_build . ./policies -ldflags '-s -w' ;;
    pause) go_build . ./pause -ldflags '-s -w' ;;
    helm)
      helm=helm.sh/helm/v4
      go_build . $helm/cmd/helm -ldflags "-s -w $(version_flags k8sVersionMajor k8sVersionMinor \
        $helm/pkg/chart/common $helm/pkg/chart/v2/lint/rules | tr '\n' ' ')" ;;
    kubeconform) go_build . github.com/yannh/kubeconform/cmd/kubeconform -ldflags '-s -w' ;;
    # Does not compile with this Kubernetes' libraries.
    kube-score) GOBIN=$BIN CGO_ENABLED=0 go install -trimpath -ldflags '-s -w' github.com/zegl/kube-score/cmd/kube-score@v1.20.0 ;;
    traefik) traefik ;;
    *) echo "There is no program $program here." >&2; exit 2 ;;
  esac
  echo "native-cluster: built $program in $((SECONDS - start)) s" >&2
done
[ -z "${missing:-}" ]
