# shellcheck shell=bash
# The service's clients: the examples, our own clients, and those of others.

check_examples() {
	link_packages "$work"
	serve examples
	MNEME=$mneme EXAMPLES_PYTHON=$tools/clients/bin/python PYTHONPATH=$tools/packages/site EXAMPLES_NODE_MODULES=$work/node_modules examples/check.sh "$served" "$(token_of examples example)"
}

# The generated parts of the Python client match openapi.yaml and aio.py; the client passes
# a strict type check, and the installed wheel passes its tests with only its declared
# requirements.
check_python_client() {
	copy "$work" clients/python server/rest/openapi.yaml
	quietly "$tools/python/bin/python" "$work/clients/python/generate.py"
	diff -r -x __pycache__ clients/python/src "$work/clients/python/src"
	"$tools/clients/bin/python" -S -c 'import sys; sys.path.insert(0, sys.argv[1]); import mneme' "$tools/packages/required"
	export PYTHONPATH=$tools/packages/required
	(cd "$work/clients/python/src/mneme" && "$tools/clients/bin/mypy" --cache-dir "$work/mypy" --strict --python-version 3.10 --follow-imports silent aio.py call.py client.py error.py moment.py route.py)
	serve client
	"$mneme" topup --data-dir "$work/client" reader 10 --reference clients
	MNEME_URL=$served MNEME_TOKEN=$(token_of client client) MNEME_BUYER=$(token_of client reader) \
		"$tools/clients/bin/python" -m pytest -q -p no:cacheprovider "$work/clients/python/tests"
}

# The generated parts of the TypeScript client match openapi.yaml; programs and a browser
# use the installed package.
check_typescript_client() {
	local tree=$work/clients/typescript fresh=$work/fresh script
	copy "$work" clients/typescript server/rest/openapi.yaml
	ln -s "$tools/packages/node_modules" "$tree"
	for script in types build check; do quietly npm run --prefix "$tree" --silent "$script"; done # the tests import the built package
	diff clients/typescript/src/schema.ts "$tree/src/schema.ts"
	mkdir "$fresh"
	echo '{"type": "module"}' >"$fresh/package.json"
	ln -s "$tools/packages/node/node_modules" "$fresh"
	"$tree/test/consumer/check.sh" "$fresh" "$tree/node_modules/.bin/tsc"
	cp "$tree/test/client.test.ts" "$fresh"
	MNEME_CORS_ORIGINS=http://app.localhost serve client
	"$mneme" topup --data-dir "$work/client" bidder 10 --reference clients
	MNEME_URL=$served MNEME_TOKEN=$(token_of client typist) MNEME_BUYER=$(token_of client bidder) \
		node --test --test-reporter=dot "$fresh/client.test.ts"
	in_console clients/typescript/test/browser.mjs "$served" "$(token_of client typist)" "$(command -v chromium)" "$fresh"
}

# Real clients of x402 and MPP buy searches, from services that move no money.
check_payments() {
	link_packages "$work"
	PYTHONPATH=$tools/packages/site go run ./meter/payment/buyers "$mneme" "$tools/clients/bin/python" "$work" "$tools/webagents/bin/python"
}

# The memory skills of webagents against the Robutler API.
check_portal() {
	serve portal
	"$tools/webagents/bin/python" examples/robutler-skill/webagents_memory.py "$served" "$(token_of portal webagent)" webagent "$(token_of portal other)"
}

# The texts of the tool memory, compared with Anthropic's own file system tools.
check_memory_tool() {
	serve tool
	"$tools/clients/bin/python" examples/anthropic-python/compare/compare.py "$served" "$(token_of tool compared)" "$tools/node"
}

# Memories of the AI SDK and Mastra, with the installed package.
check_typescript_memory() {
	link_packages "$work"
	serve memory
	MNEME_URL=$served MNEME_TOKEN=$(token_of memory tester) clients/typescript-memory/test/check.sh "$work"
}

# Framework memories, tested by their own tests, and tools over MCP: two, and in a long run all.
check_memories() { try_frameworks clients langgraph langchain; }
check_frameworks() {
	link_packages "$work"
	try_frameworks clients openai_agents llamaindex pydantic_ai google_genai vercel_ai mastra types
	try_frameworks frameworks langchain_mcp adk autogen semantic_kernel types
	try_frameworks crewai crewai types
}
try_frameworks() {
	serve "$1"
	MNEME_URL=$served MNEME_TOKEN=$(token_of "$1" tester) PYTHONPATH=$tools/packages/site NODE_MODULES=$work/node_modules FRAMEWORKS=${*:2} \
		"$tools/$1/bin/python" -m pytest -q -p no:cacheprovider clients/python-memory/tests
}

# MCP with third-party clients: the inspector over stdio and HTTP, which also
# validates the tools' schemas, and two of the protocol's conformance suites.
check_mcp() {
	serve mcp
	local remember=(--method tools/call --tool-name memory_save --tool-arg key=tea --tool-arg 'content=Ada likes her tea green.')
	local recall=(--method tools/call --tool-name memory_search --tool-arg 'query=which tea for Ada?')
	local server stdio=("$mneme" mcp --data-dir "$work/mcp" --agent inspector)
	local http=("$served/mcp" --transport http --header "Authorization: Bearer $(token_of mcp inspector)")
	quietly inspect "${stdio[@]}" "${remember[@]}"
	for server in stdio http; do
		local -n target=$server
		quietly inspect "${target[@]}" --method tools/list --strict
		says 'her tea green' inspect "${target[@]}" "${recall[@]}"
		says text/markdown inspect "${target[@]}" --method resources/read --uri mneme://self/MEMORY.md
		echo "the inspector lists, calls and reads over $server"
	done
	MNEME_TOKEN=$(token_of mcp conformance)
	export MNEME_TOKEN
	go run ./server/mcp/conformance "$tools/node/node_modules/.bin/conformance" "$served"
	go run ./server/mcp/conformance "$tools/node/node_modules/conformance-older/dist/index.js" "$served" 2025-06-18 2025-11-25
}

# The packages of the program, installed as uvx and npx install them.
check_packages() {
	local commands
	python3 -m unittest discover -s deploy/packaging -p '*_test.py'
	python3 deploy/packaging/build.py --version 0.0.1 --out "$work/packages" --binary "$mneme"
	PYTHONPATH=deploy/packaging python3 -c 'import pathlib, release, sys; release.clients("0.0.1", pathlib.Path(sys.argv[1]), sys.argv[2])' "$work/published" https://git.example.org/mneme
	python3 deploy/packaging/check/clients.py "$work/published" 0.0.1 https://git.example.org/mneme
	python3 -m venv "$work/uvx"
	"$work/uvx/bin/pip" install --no-index "$work/packages"/*.whl
	npm install --prefix "$work/npx" --silent --no-audit --no-fund --omit=optional "$work/packages"/*.tgz
	for commands in "$work/uvx/bin" "$work/npx/node_modules/.bin"; do
		says "$("$mneme" version)" "$commands/mneme" version
		says saved inspect "$commands/mneme-mcp" --data-dir "$work/packaged" --agent inspector \
			--method tools/call --tool-name memory_save --tool-arg key=tea --tool-arg 'content=Ada likes her tea green.'
	done
}

inspect() { HOME=$work mcp-inspector --cli "$@"; } # it keeps a catalog there

# says TEXT COMMAND…: fails unless the command succeeds and prints the text.
says() {
	quietly "${@:2}"
	grep -q "$1" "$work/said" || fail "$(cat "$work/said")"
}
