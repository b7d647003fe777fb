# shellcheck shell=bash
# Shared functions. .ci/check runs each step in a separate bash, at the root of the
# repository and with errexit, and sets
#   work    an empty folder, removed when the step ends
#   tools   the folder of installed tools, which persists between runs
#   mneme   the program, once the step "program" has built it

python=$(command -v python3 || true) # the system's, from which environments are created
export PATH="$tools/bin:$tools/node/node_modules/.bin:$tools/python/bin:$PATH"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1

started=()
end_started() {
	local pid
	for pid in "${started[@]}"; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
	done
}
trap end_started EXIT

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# existing PATHSPEC…: prints the names of the repository's existing files, each with a NUL.
# git also lists files whose deletion is not committed.
existing() {
	local file
	while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done < <(git ls-files -coz --exclude-standard "$@")
}

# copy FOLDER PATHSPEC…: copies the repository's files into the folder.
copy() { existing "${@:2}" | tar c --null -T - | tar x -C "$1"; }

# until_ready LOG COMMAND…: waits for a server, for at most three minutes.
until_ready() {
	local log=$1 from=$SECONDS
	shift
	until "$@" >/dev/null 2>&1; do
		[ $((SECONDS - from)) -lt 180 ] || {
			tail -n 40 "$log"
			fail "not ready after three minutes: $*" || return
		}
		sleep 0.2
	done
}

fail() {
	echo "$*"
	return 1
}

# quietly COMMAND…: prints the command's output only if it fails.
quietly() {
	"$@" >"$work/said" 2>&1 || {
		cat "$work/said"
		return 1
	}
}

# make_python NAME REQUIREMENT…: creates a virtual environment in the tools folder.
make_python() {
	local folder=$tools/$1
	shift
	rm -rf "$folder"
	"$python" -m venv "$folder"
	"$folder/bin/pip" install "$@"
}

# make_node NAME PACKAGE…: installs npm packages in the tools folder.
make_node() {
	local folder=$tools/$1
	shift
	rm -rf "$folder"
	npm install --prefix "$folder" --silent --no-audit --no-fund "$@"
}

# serve NAME: starts the program over a new data folder, $work/NAME, until the step
# ends, and sets served to its address. It listens on a port that the system chose.
serve() {
	local data=$work/$1
	"$mneme" serve --data-dir "$data" --addr 127.0.0.1:0 --json >"$data.started" 2>"$data.log" &
	started+=($!)
	until_ready "$data.log" grep -q address "$data.started"
	served=$(sed 's/.*"address": *"\([^"]*\)".*/\1/' "$data.started")
}

# token_of NAME AGENT [FLAG…]: prints a token for the server of that name.
token_of() { "$mneme" token --data-dir "$work/$1" --agent "${@:2}"; }
