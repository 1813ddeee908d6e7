#!/bin/sh
# Writes the passwords of the installation beside kustomization.yaml, once.
set -eu
cd "$(dirname "$0")"
umask 077
random() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
if [ ! -f database.env ]; then
  password=$(random)
  url=postgres://sitevalidator:$password@site-validator-postgresql:5432/sitevalidator
  printf 'password=%s\nurl=%s\njobsUrl=%s\n' "$password" "$url" "$url" >database.env
fi
[ -f secret-key.env ] || printf 'secret-key=%s\n' "$(random)" >secret-key.env
[ -f first-token.env ] || printf 'token=svt_%s\n' "$(random)" >first-token.env
