#!/bin/bash
# Creates the database at the first start, as docker.io/library/postgres does, and serves it.
set -euo pipefail
: "${POSTGRES_PASSWORD:?}" "${POSTGRES_USER:=postgres}" "${POSTGRES_DB:=$POSTGRES_USER}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") \
    --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" >/dev/null
  if [ "$POSTGRES_DB" != postgres ]; then
    createdb --host=/var/run/postgresql --username="$POSTGRES_USER" "$POSTGRES_DB"
  fi
  pg_ctl -w -m fast stop >/dev/null
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@"
