#!/usr/bin/env bash
# Runs the examples against a running server: examples/check.sh URL TOKEN [NAME…]
#
# TOKEN is a token from `mneme token`; the examples write to its agent's store and
# clean up. NAME is a folder here; without one all run. PYTHON (default python3)
# and npm install packages into a temporary folder, unless EXAMPLES_PYTHON is a Python
# that has all of them and EXAMPLES_NODE_MODULES a folder of npm's. MNEME is the program
# that MCP clients start; without it claude-desktop is skipped.
# The exit status is 0 if none failed.
set -uo pipefail
cd "$(dirname "$0")" || exit

if [ $# -lt 2 ]; then
	sed -n '2,10p' "$0" | sed 's/^# \{0,1\}//' >&2
	exit 2
fi
export MNEME_URL=${1%/} MNEME_TOKEN=$2 PYTHONDONTWRITEBYTECODE=1
shift 2
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(client-python bilingual-python client-typescript robutler-python robutler-skill robutler-typescript anthropic-python anthropic-typescript langgraph mcp-python model-sdks claude-desktop)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Python examples share one environment. Packages in requirements-alone.txt
# are installed without their dependencies.
environment() {
	[ -z "${EXAMPLES_PYTHON:-}" ] || return 0
	local all=() alone=() name
	for name in "${names[@]}"; do
		[ ! -f "$name/requirements.txt" ] || all+=(-r "$name/requirements.txt")
		[ ! -f "$name/requirements-alone.txt" ] || alone+=(-r "$name/requirements-alone.txt")
		case $name in
		client-python | bilingual-python) all+=(../clients/python) ;;
		langgraph) all+=(../clients/python ../clients/python-memory) ;;
		esac
	done
	"${PYTHON:-python3}" -m venv "$work/python" || return 1
	local pip=("$work/python/bin/pip" install --quiet --disable-pip-version-check)
	[ ${#all[@]} = 0 ] || "${pip[@]}" "${all[@]}" || return 1
	[ ${#alone[@]} = 0 ] || "${pip[@]}" --no-deps "${alone[@]}"
}

python() { wait_for_environment && "${EXAMPLES_PYTHON:-$work/python/bin/python}" "$1/check.py"; }

# A TypeScript example is compiled in a copy, and so is the client that one of them uses.
typescript() {
	local packed=()
	cp -R "$1" "$work/$1" && rm -rf "$work/$1/node_modules" "$work/$1/dist" || return 1
	if [ -n "${EXAMPLES_NODE_MODULES:-}" ]; then
		ln -s "$EXAMPLES_NODE_MODULES" "$work/$1/node_modules" && cd "$work/$1" && npm run --silent check
		return
	fi
	if [ "$1" = client-typescript ]; then
		cp -R ../clients/typescript "$work/client" && rm -rf "$work/client/node_modules" "$work/client/dist" &&
			(cd "$work/client" && npm ci --silent --no-audit --no-fund && npm pack --silent) || return 1
		packed=("$work"/client/*.tgz)
	fi
	cd "$work/$1" && npm install --silent --no-audit --no-fund --no-package-lock "${packed[@]}" && npm run --silent check
}

# The packages are installed in parallel, and each example runs as soon as it has
# what it needs. The examples use distinct names in the store.
wait_for_environment() {
	until [ -f "$work/environment" ]; do sleep 0.2; done
	[ "$(cat "$work/environment")" = 0 ]
}
(
	environment >"$work/environment.said" 2>&1
	echo $? >"$work/environment.status"
	mv "$work/environment.status" "$work/environment"
) &

summary=() tried=() started=() failed=0
for name in "${names[@]}"; do
	if [ "$name" = claude-desktop ] && [ -z "${MNEME:-}" ]; then
		summary+=("$name: skipped, since MNEME is not set")
		continue
	fi
	if [ -f "$name/package.json" ]; then kind=typescript; else kind=python; fi
	("$kind" "$name") >"$work/$name.said" 2>&1 &
	started+=($!)
	tried+=("$name")
done
for i in "${!tried[@]}"; do
	name=${tried[$i]}
	if wait "${started[$i]}"; then
		summary+=("$name: $(tail -n 1 "$work/$name.said")")
	else
		echo "── $name" >&2
		cat "$work/$name.said" >&2
		summary+=("$name: FAILED")
		failed=$((failed + 1))
	fi
done
wait
[ "$(cat "$work/environment")" = 0 ] || cat "$work/environment.said" >&2

echo "── examples"
printf '%s\n' "${summary[@]}"
echo "${#tried[@]} run, $failed failed, $((${#names[@]} - ${#tried[@]})) skipped"
[ "$failed" = 0 ]
