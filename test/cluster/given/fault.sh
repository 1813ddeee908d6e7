#!/usr/bin/env bash
# A cluster that is not ours gets no faults.
echo "The cluster was given: its API server and network are left alone." >&2
exit 3
