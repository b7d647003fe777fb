#!/bin/sh
# Generates what follows from openapi.yaml beside the Go code: the Python client, the types
# of the TypeScript client, and the types and the built files of the console. Each part needs
# tools of its own. All parts whose tools are here are generated; the others are named at the
# end, with what they need, and make it fail.
set -eu
cd "$(dirname "$0")"
missing=

# lacks PART COMMAND notes that a part was left out, and the command that installs its tools.
lacks() { missing="$missing
  $1: $2"; }

python=${PYTHON:-python3}
tools=$(dirname "$(command -v "$python" || echo .)")
if "$python" -c 'import openapi_python_client' 2>/dev/null; then
	PATH=$tools:$PATH "$python" python/generate.py
else
	lacks 'clients/python' "$python -m pip install openapi-python-client==0.29.1, or set PYTHON"
fi

# has FOLDER COMMAND reports whether a package has a command, installed there or anywhere.
has() { [ -x "$1/node_modules/.bin/$2" ] || command -v "$2" >/dev/null; }

if command -v npm >/dev/null && has typescript openapi-typescript; then
	npm run --prefix typescript --silent types
else
	lacks 'clients/typescript' 'Node 20 and npm install --prefix clients/typescript'
fi

console=../console
if command -v npm >/dev/null && has $console openapi-typescript && has $console vite; then
	npm run --prefix $console --silent types
	npm run --prefix $console --silent build
else
	lacks 'console' 'Node 20 and npm ci --prefix console'
fi

[ -z "$missing" ] || {
	echo "make generate left these out, which are as they were. They need:$missing" >&2
	exit 1
}
