#!/usr/bin/env bash
# Runs a user's first steps on Windows, in Wine: serve, import, search, export to a dump
# and to Markdown, stop the server.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/windows/wine.sh
. deploy/windows/wine.sh

program=$scratch/mneme.exe
mneme() { "$wine" "$program" "$@" | tr -d '\r'; }

# has TEXT: fails, and shows its input, unless that contains the text.
has() {
	local read
	read=$(cat)
	[[ $read == *"$1"* ]] || {
		echo "no '$1' in: $read"
		return 1
	}
}

start_wine
go build -o "$program" ./cmd/mneme

# The data folder is the user's: %LOCALAPPDATA%\mneme.
mneme config show | has 'AppData\Local\mneme'
mneme doctor | has 'data folder'

"$wine" "$program" serve --addr 127.0.0.1:0 --json >"$scratch/started" 2>"$scratch/log" &
server=$!
from=$SECONDS
until grep -q address "$scratch/started"; do
	if [ $((SECONDS - from)) -ge 180 ] || ! kill -0 "$server"; then
		cat "$scratch/log"
		exit 1
	fi
	sleep 0.2
done
url=$(sed 's/.*"address": *"\([^"]*\)".*/\1/' "$scratch/started" | tr -d '\r')
mneme ready --url "$url" | has ready

mneme import --url "$url" --json 'examples\samples\memories.jsonl' | has '"created":40'
mneme search --url "$url" --agent iris "what must I not cook for Ben?" | has diet/ben
mneme search --agent iris "what must I not cook for Ben?" | has diet/ben # while the server runs
mneme export --agent iris --markdown 'C:\notes' | has ''
[ "$(find "$WINEPREFIX/drive_c/notes" -name '*.md' | wc -l)" -gt 10 ]
mneme export --full >"$scratch/dump.jsonl"
mneme import --full --data-dir 'C:\copy' "$(path_of "$scratch/dump.jsonl")" | has ''
mneme search --data-dir 'C:\copy' --agent iris "what must I not cook for Ben?" | has diet/ben
mneme service install --print | has 'sc.exe create mneme'
kill "$server" # like the task manager: writes are durable
wait "$server" || true
mneme doctor | has 'no damage found'

# Runs as a service, with a data folder of its own; a second install changes its settings.
for address in 127.0.0.1:17077 127.0.0.1:17078; do
	mneme service install --addr "$address" | has installed
	from=$SECONDS
	until mneme ready --addr "$address"; do
		[ $((SECONDS - from)) -lt 180 ]
		sleep 0.2
	done
	mneme service status | has running
done
if mneme ready --addr 127.0.0.1:17077; then
	echo 'it listens where the first installation said'
	exit 1
fi
mneme service remove | has removed
! mneme service status
