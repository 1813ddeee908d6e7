# Sourced by the scripts beside it.
NAME=site-validator-test
KIND_KUBECONFIG=${TMPDIR:-/tmp}/$NAME.kubeconfig
