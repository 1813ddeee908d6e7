#!/bin/sh
# Downloads Debian packages with HTML pages and unpacks them, for npm run conformance -- --real FOLDER.
# Needs apt-get and dpkg, and the package lists (apt-get update).
set -eu

folder=${1:?"Give the folder to unpack to, for example: $0 /tmp/pages"}
packages=${2:-"apache2-doc bash-doc debian-faq debian-reference-en developers-reference exim4-doc-html gnuplot-doc libtiff-doc libvpx-doc r-base-html"}

command -v apt-get >/dev/null && command -v dpkg >/dev/null || {
  echo "This needs apt-get and dpkg, which Debian has." >&2
  exit 2
}
archives=$(mktemp -d)
trap 'rm -rf "$archives"' EXIT
mkdir -p "$folder"
for package in $packages; do
  (cd "$archives" && apt-get download -q "$package")
  dpkg -x "$archives/$package"_*.deb "$folder/$package"
  rm "$archives/$package"_*.deb
done
echo "$(find "$folder" -name '*.html' | wc -l) pages are in $folder."
