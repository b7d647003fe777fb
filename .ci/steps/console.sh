# shellcheck shell=bash
# The console: its built files, and their behavior in a browser.

# The console's types and built files must match its source and openapi.yaml.
check_console_build() {
	copy "$work" console server/rest/openapi.yaml
	(
		cd "$work/console"
		rm -r dist
		cp -r "$tools/console/node_modules" .
		quietly npm run --silent types
		quietly npm run --silent check
		quietly npm run --silent build
	)
	diff -r console/dist "$work/console/dist"
	diff console/src/api/schema.d.ts "$work/console/src/api/schema.d.ts"
}

check_console() {
	serve console
	in_console console/check/check.mjs "$served" "$(token_of console console)" "$(token_of console shopper)" \
		"$(token_of console operator --scope platform)" "$(command -v chromium)"
}

# The pictures of the documentation, of the sample memories: docs/images has them.
check_pictures() {
	"$mneme" import --data-dir "$work/pictured" examples/samples/memories.jsonl
	serve pictured
	mkdir "$work/images"
	in_console console/check/pictures.mjs "$served" "$(token_of pictured iris --scope platform)" "$(command -v chromium)" "$work/images"
}

# in_console PROGRAM ARGUMENT…: runs a program that drives a browser. It finds the packages
# for that in the folder where it is started.
in_console() (
	program=$PWD/$1
	cd "$tools/console"
	node "$program" "${@:2}"
)
