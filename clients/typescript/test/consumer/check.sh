#!/usr/bin/env bash
# Checks the types of a package as programs see them that have installed it in FOLDER, by
# both ways in which TypeScript finds modules: check.sh FOLDER TSC
set -euo pipefail
here=$(dirname "$0")
cp "$here/use.ts" "$1/use.ts"
for module in "nodenext nodenext" "esnext bundler"; do
	# shellcheck disable=SC2086 # two words
	set -- "$1" "$2" $module
	"$2" --noEmit --strict --target es2022 --lib es2022,dom --module "$3" --moduleResolution "$4" "$1/use.ts"
done
