#!/usr/bin/env bash
# Pushes images to IMAGE_REGISTRY, which the cluster's nodes pull from. Install the chart
# with these names: IMAGE_REGISTRY and the last part of each image's own.
set -euo pipefail
: "${IMAGE_REGISTRY:?must name a registry that this machine may push to and the nodes pull from}"
for image in "$@"; do
  target="${IMAGE_REGISTRY%/}/${image##*/}"
  if docker info >/dev/null 2>&1; then docker tag "$image" "$target" && docker push -q "$target" >/dev/null
  else buildah push -q "$image" "docker://$target"; fi
done
