# shellcheck shell=bash

# The programs that are not Go: their style, and likely errors. Two of oxlint's rules are
# disabled: the console searches for control characters on purpose, and a caret is as
# readable as startsWith.
check_scripts() {
	local python shell node
	mapfile -d '' -t python < <(existing '*.py' ':!clients/python/src/mneme/generated')
	mapfile -d '' -t shell < <({
		existing '*.sh'
		git grep -lzE '^#!/(usr/bin/env |bin/)(ba)?sh' ':!cmd/mneme/service' # templates
	} | sort -uz)
	mapfile -d '' -t node < <(existing '*.mjs' '*.ts' '*.svelte')
	ruff check --quiet --no-cache --force-exclude "${python[@]}"
	ruff format --check --quiet --no-cache --force-exclude "${python[@]}"
	shellcheck -x "${shell[@]}"
	shfmt -d "${shell[@]}"
	actionlint
	oxlint --deny-warnings -A no-control-regex -A prefer-string-starts-ends-with "${node[@]}"
	echo "${#python[@]} programs in Python, ${#shell[@]} in shell, ${#node[@]} in JavaScript and TypeScript"
}
