#!/usr/bin/env bash
# images.sh [TAG]: builds the images that the tests use, with Docker or else buildah, and
# prints their names, one per line: slim, browser, PostgreSQL.
#
# Where no registry can be reached (the native provider), Node and Debian's packages come from
# base-image.sh. NODE_IMAGE names another base.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
tag=${1:-test}

if [ "$("$here/cluster.sh" provider)" = native ]; then
  . "$here/native/lib.sh"
  "$here/native/base-image.sh" >&2
  node_image=${NODE_IMAGE:-localhost/node:$NODE_VERSION-bookworm-slim}
else
  node_image=${NODE_IMAGE:-$(sed -n 's/^ARG NODE_IMAGE=//p' "$root/Containerfile")}
fi

if docker info >/dev/null 2>&1 && [ -z "${BUILDAH_ISOLATION:-}" ]; then
  build() { docker build --quiet "$@" >/dev/null; }
else
  # --layers: reuses the unchanged parts of the previous build.
  build() { buildah build --quiet --layers --isolation "${BUILDAH_ISOLATION:-chroot}" "$@" >/dev/null; }
fi

# The builds trust the same additional certificates as this machine (a registry behind a proxy).
authorities=${NODE_EXTRA_CA_CERTS:-$(npm config get cafile)}
secrets=()
if [ -s "$authorities" ]; then secrets+=(--secret "id=cafile,src=$authorities"); fi

for target in slim browser; do
  image=localhost/site-validator-$target:$tag
  build --file "$root/Containerfile" --target "$target" --build-arg "NODE_IMAGE=$node_image" ${secrets[@]+"${secrets[@]}"} --tag "$image" "$root"
  echo "$image"
done
image=localhost/site-validator-postgres:$tag
build --file "$here/postgres/Containerfile" --build-arg "BASE_IMAGE=$node_image" --tag "$image" "$here/postgres"
echo "$image"
