#!/usr/bin/env bash
# The step "Check" of action.yml: runs the command with the action's inputs, which are in the environment, and writes
# the job's summary and the step's outputs. It ends with 0 whatever is found, so that the steps after it still run.
set -euo pipefail

fail() {
  # An input may have parts that strangers wrote, such as a branch's name: they must not begin a line.
  local text="${1//[[:cntrl:]]/ }"
  echo "::error title=Site Validator::${text//%/%25}"
  echo "exit-code=2" >>"$GITHUB_OUTPUT"
  exit 0
}

# The lines of a text without spaces at their ends, and without empty ones, in the array `lines`.
read_lines() {
  lines=()
  local line
  while IFS= read -r line || [[ -n $line ]]; do
    line="${line#"${line%%[![:space:]]*}"}"
    line="${line%"${line##*[![:space:]]}"}"
    [[ -z $line ]] || lines+=("$line")
  done <<<"$1"
}

read_lines "${TARGETS:-}"
targets=("${lines[@]}")
[[ ${#targets[@]} -gt 0 ]] || fail "The input targets is empty; it must name what to check, a line each."
for target in "${targets[@]}"; do
  [[ $target != -* ]] || fail "The input targets has \"$target\"; options belong in the input options."
done

read_lines "${OPTIONS:-}"
arguments=()
for line in "${lines[@]}"; do
  [[ $line == --* ]] || fail "The input options has the line \"$line\"; each line must be an option such as \"--max-pages 100\"."
  name="${line%%[[:space:]]*}"
  case "${name%%=*}" in
    --json | --sarif | --junit | --csv | --markdown | --baseline | --announce | --untrusted | --variable | --help | --version | --print-config)
      fail "The input options has ${name%%=*}, which the action sets or does not know; see the inputs baseline, announce, variables and artifact." ;;
  esac
  arguments+=("$name")
  value="${line#"$name"}"
  value="${value#"${value%%[![:space:]]*}"}"
  [[ -z $value ]] || arguments+=("$value")
done
read_lines "${VARIABLES:-}"
for name in "${lines[@]}"; do
  [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || fail "The input variables has \"$name\"; each line must be the name of a variable, without a dollar sign."
  arguments+=(--variable "$name")
done
[[ -z ${BASELINE:-} ]] || arguments+=(--baseline "$BASELINE")
case "${CODE_SCANNING:-false}" in
  true | false) ;;
  *) fail "The input code-scanning is \"$CODE_SCANNING\"; it must be true or false." ;;
esac
case "${ANNOUNCE:-false}" in
  false) ;;
  true)
    arguments+=(--announce github)
    export GITHUB_TOKEN="${TOKEN:-}"
    ;;
  *) fail "The input announce is \"$ANNOUNCE\"; it must be true or false." ;;
esac
unset TOKEN

report="$(mktemp -d "${RUNNER_TEMP:-/tmp}/site-validator-XXXXXX")"
PATH="$ACTION_PATH/node_modules/.bin:$PATH"
code=0
# What is in the workspace may be a stranger's, as in a pull request.
node "$ACTION_PATH/src/main/index.ts" check --untrusted "${arguments[@]}" \
  --sarif "$report/findings.sarif" --junit "$report/findings.xml" --csv "$report/findings.csv" \
  --markdown "$report/summary.md" -- "${targets[@]}" || code=$?

if [[ -s $report/summary.md ]]; then
  cat "$report/summary.md" >>"$GITHUB_STEP_SUMMARY"
  echo "report=$report" >>"$GITHUB_OUTPUT"
else
  echo "::error title=Site Validator::Nothing could be checked; the log of this step says why."
fi
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
