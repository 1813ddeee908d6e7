#!/usr/bin/env bash
# Renders manifests/install.yaml from the Helm chart; --check fails when it is not up to date.
# HELM names the program; comments and blank lines that differ between its versions are removed. Secrets are left
# out: kustomize creates them.
set -euo pipefail
cd "$(dirname "$0")/.."
target=manifests/install.yaml
render() {
  echo "# Rendered from charts/site-validator by scripts/render-manifests.sh: edit there."
  "${HELM:-helm}" template site-validator charts/site-validator --namespace site-validator --values manifests/values.yaml --no-hooks |
    awk 'BEGIN { RS = "---\n" } NF && !/\nkind: Secret\n/ { sub(/^# Source: [^\n]*\n/, ""); sub(/\n+$/, "\n"); printf "---\n%s", $0 }'
}
if [ "${1:-}" = --check ]; then
  diff -u "$target" <(render) >&2 || { echo "$target is not up to date: run scripts/render-manifests.sh and commit the result." >&2; exit 1; }
else
  # Written to a temporary file first: without Helm the file stays as it is.
  draft=$(mktemp)
  trap 'rm -f "$draft"' EXIT
  render >"$draft"
  cat "$draft" >"$target"
fi
