#!/usr/bin/env bash
# Tries the examples against a running server: examples/check.sh URL TOKEN [NAME…]
#
# TOKEN is one of `mneme token`; its agent's store is written to and tidied up.
# NAME is a folder here; without one all are tried. PYTHON (python3) and npm make
# what they need in a folder that is removed afterwards. MNEME is the program
# that MCP clients start; without it claude-desktop is left out.
# The exit status is 0 if none failed.
set -uo pipefail
cd "$(dirname "$0")"

if [ $# -lt 2 ]; then
	sed -n '2,8p' "$0" | sed 's/^# \{0,1\}//' >&2
	exit 2
fi
export MNEME_URL=${1%/} MNEME_TOKEN=$2 PYTHONDONTWRITEBYTECODE=1
shift 2
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(robutler-python robutler-skill robutler-typescript anthropic-python anthropic-typescript langgraph mcp-python claude-desktop)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Python examples share one environment, made when the first needs it.
python() {
	local folder=$1
	if [ ! -d "$work/python" ]; then
		"${PYTHON:-python3}" -m venv "$work/python" || return 1
	fi
	if [ -f "$folder/requirements.txt" ]; then
		"$work/python/bin/pip" install --quiet --disable-pip-version-check -r "$folder/requirements.txt" || return 1
	fi
	if [ -f "$folder/requirements-alone.txt" ]; then # without what it requires in turn
		"$work/python/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$folder/requirements-alone.txt" || return 1
	fi
	"$work/python/bin/python" "$folder/check.py"
}

# A TypeScript example is compiled in a copy.
typescript() {
	cp -R "$1" "$work/$1" && rm -rf "$work/$1/node_modules" "$work/$1/dist" && cd "$work/$1" &&
		npm install --silent --no-audit --no-fund --no-package-lock && npm run --silent check
}

summary=() tried=0 failed=0
for name in "${names[@]}"; do
	echo "── $name"
	if [ "$name" = claude-desktop ] && [ -z "${MNEME:-}" ]; then
		summary+=("$name: left out, since MNEME names no program")
		continue
	fi
	tried=$((tried + 1))
	if [ -f "$name/package.json" ]; then kind=typescript; else kind=python; fi
	if ("$kind" "$name") >"$work/said" 2>&1; then
		summary+=("$name: $(tail -n 1 "$work/said")")
	else
		cat "$work/said" >&2
		summary+=("$name: FAILED")
		failed=$((failed + 1))
	fi
done

echo "── examples"
printf '%s\n' "${summary[@]}"
echo "$tried tried, $failed failed, $((${#names[@]} - tried)) left out"
[ "$failed" = 0 ]
