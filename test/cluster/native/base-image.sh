#!/usr/bin/env bash
# Builds localhost/node:24-bookworm-slim from Debian's packages and npm's `node-linux-*`
# packages: a stand-in for docker.io/library/node where no image can be pulled.
# Pass it to the project's Containerfile as --build-arg NODE_IMAGE=...
set -euo pipefail
. "$(dirname "$0")/lib.sh"
image=localhost/node:$NODE_VERSION-bookworm-slim
buildah inspect --type image "$image" >/dev/null 2>&1 && exit 0
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
# Without documentation, like the real one.
mmdebstrap --quiet --variant=minbase --include=ca-certificates --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' bookworm "$work/root.tar"
# The package with the program itself: `node` would fetch it by an install script, which npm does not run unasked.
node=node-linux-$(node -p process.arch)
(cd "$work" && npm init -y >/dev/null 2>&1 && npm install --silent "$node@$NODE_VERSION" "npm@$NPM_VERSION")
# As in the real image: npm's programs are links into its package.
mkdir -p "$work/local/bin" "$work/local/lib/node_modules"
cp "$work/node_modules/$node/bin/node" "$work/local/bin/node"
cp -r "$work/node_modules/npm" "$work/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/local/bin/npm"
container=$(buildah from scratch)
buildah add -q "$container" "$work/root.tar" / >/dev/null
buildah copy -q "$container" "$work/local" /usr/local >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd '["node"]' "$container"
buildah commit -q --rm "$container" "$image" >/dev/null
