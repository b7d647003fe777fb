#!/usr/bin/env bash
# Tests the package that is installed in FOLDER/node_modules with its frameworks: check.sh FOLDER.
# MNEME_URL and MNEME_TOKEN name the server.
set -euo pipefail
here=$(dirname "$0")
cp -r "$here/../tsconfig.json" "$here" "$1"
cd "$1"
echo '{"type": "module"}' >package.json
tsc --noEmit -p test
node --test --test-reporter=dot test/*.test.ts
