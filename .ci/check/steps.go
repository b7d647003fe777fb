package main

// Versions of system packages, and other facts that steps depend on.
const (
	goVersion = "go version"
	system    = "uname -sm; . /etc/os-release; echo $ID $VERSION_ID"
	chromium  = "chromium --version"
	python    = "python3 --version"
	npm       = "npm --version; node --version"
	gcc       = "gcc --version"
	wine      = "/usr/lib/wine/wine64 --version; x86_64-w64-mingw32-gcc --version"
	qemu      = "qemu-aarch64 --version"
	postgres  = "ls /usr/lib/postgresql; /usr/sbin/pgbouncer --version"
	files     = "git ls-files --cached --others --exclude-standard" // the names of all files
)

// goFiles are all files from which the module's programs and tests are built.
const goFiles = "test:./..."

// Groups of packages with fuzz targets or benchmarks. Each group has steps of its own, so
// that a change in one does not rerun the others.
const (
	ground   = "./configs ./crypto ./embed/... ./internal/condition ./internal/edit ./internal/fairqueue ./internal/lru ./internal/passage ./internal/period ./lexical/... ./vector ./vector/flat"
	heart    = "./markdown ./memory ./meter/... ./search/... ./storage/... ./vector/milvus"
	surfaces = "./benchmarks/... ./cmd/... ./server/... ./test/..."
)

// documents are the pages of the documentation.
var documents = []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs"}

var steps = plan{
	// Installation and builds.
	{name: "packages", run: "setup_packages", made: "-"},
	{name: "go-tools", run: "setup_go_tools", made: "bin/actionlint", tools: []string{goVersion, system}},
	{name: "python", run: "setup_python", made: "python", inputs: []string{"docs/website/requirements.txt"}, tools: []string{python, system}, needs: []string{"packages"}},
	{name: "clients", run: "setup_clients", made: "clients", inputs: []string{"examples/**/requirements*.txt", "clients/python-memory/tests/requirements.txt"}, tools: []string{python, system}, needs: []string{"packages"}},
	{name: "webagents", run: "setup_webagents", made: "webagents", inputs: []string{"examples/robutler-skill/requirements-alone.txt"}, tools: []string{python, system}, needs: []string{"packages"}},
	{name: "frameworks-packages", run: "setup_frameworks", made: "frameworks", inputs: []string{"clients/python-memory/tests/requirements-frameworks.txt"}, tools: []string{python, system}, needs: []string{"packages"}},
	{name: "crewai-packages", run: "setup_crewai", made: "crewai", inputs: []string{"clients/python-memory/tests/requirements-crewai.txt"}, tools: []string{python, system}, needs: []string{"packages"}},
	{name: "node", run: "setup_node", made: "node", inputs: []string{"examples/**/package.json", "clients/python-memory/tests/package.json", "clients/typescript-memory/package.json"}, tools: []string{npm, system}, needs: []string{"packages"}},
	{name: "console-packages", run: "setup_console", made: "console", inputs: []string{"console/package.json", "console/package-lock.json"}, tools: []string{npm, system}, needs: []string{"node"}},
	{name: "our-clients", run: "setup_client_packages", made: "packages", inputs: []string{"clients/python", "clients/python-memory", "clients/typescript", "clients/typescript-memory"}, tools: []string{npm, python}, needs: []string{"clients", "node"}},
	{name: "program", run: "setup_program", made: "mneme", inputs: []string{"go:./cmd/mneme"}, tools: []string{goVersion, system}},

	// Services.
	{name: "postgres", run: "serve_postgres", ready: "ready_postgres", inputs: []string{"deploy/postgres.conf"}, tools: []string{postgres}, needs: []string{"packages"}},
	{name: "milvus", run: "serve_milvus", ready: "ready_milvus", inputs: []string{"deploy/milvus.env"}, needs: []string{"python"}},

	// Checks of Go, longest first.
	{name: "tests-beside", run: "check_tests_beside", inputs: []string{goFiles, "clients/go"}, tools: []string{goVersion, postgres, system}, needs: []string{"postgres", "milvus", "go-tools", "python"}},
	{name: "windows-program", run: "check_windows_program", inputs: []string{"test:./cmd/mneme/...", "deploy/windows"}, tools: []string{goVersion, wine}, needs: []string{"packages"}},
	{name: "races", run: "check_races", inputs: []string{goFiles, "clients/go"}, tools: []string{goVersion, gcc, system}, needs: []string{"packages"}},
	{name: "lint", run: "check_lint", inputs: []string{"*.go", "*go.mod", "*go.sum", ".golangci.yml"}, tools: []string{goVersion}, needs: []string{"go-tools"}},
	{name: "platforms", run: "check_platforms", inputs: []string{"*.go", "*.s", "*go.mod", "*go.sum", goFiles}, tools: []string{goVersion}},
	{name: "fuzzing", run: "fuzz 1000x " + surfaces, inputs: []string{"test:" + surfaces}, tools: []string{goVersion, system}},
	{name: "fuzzing-heart", run: "fuzz 1000x " + heart, inputs: []string{"test:" + heart}, tools: []string{goVersion, system}, needs: []string{"postgres"}},
	{name: "fuzzing-ground", run: "fuzz 1000x " + ground, inputs: []string{"test:" + ground}, tools: []string{goVersion, system}},
	{name: "benchmarks", run: "check_benchmarks " + surfaces, inputs: []string{"test:" + surfaces}, tools: []string{goVersion, system}, needs: []string{"postgres", "milvus"}},
	{name: "benchmarks-heart", run: "check_benchmarks " + heart, inputs: []string{"test:" + heart}, tools: []string{goVersion, system}, needs: []string{"postgres", "milvus"}},
	{name: "benchmarks-ground", run: "check_benchmarks " + ground, inputs: []string{"test:" + ground}, tools: []string{goVersion, system}},
	{name: "speed", run: "check_speed", inputs: []string{"go:./cmd/mneme"}, tools: []string{goVersion, system}, needs: []string{"postgres", "milvus", "program"}},
	{name: "vet", run: "check_vet", inputs: []string{"*.go", "*.s", "*go.mod", "*go.sum"}, tools: []string{goVersion}},
	{name: "arm64", run: "check_arm64", inputs: []string{"test:./vector/flat ./embed/maxsim ./embed/e5"}, tools: []string{goVersion, qemu}, needs: []string{"packages"}},
	{name: "windows", run: "check_windows internal/system crypto acl embed/e5 storage/sqlite memory", inputs: []string{"test:./internal/system ./crypto ./acl ./embed/e5 ./storage/sqlite ./memory", "deploy/windows"}, tools: []string{goVersion, wine}, needs: []string{"packages"}},
	{name: "ci", run: "check_ci", inputs: []string{"test:./.ci/check ./.ci/summary", ":/"}, tools: []string{goVersion}},
	{name: "modules", run: "check_modules", inputs: []string{"*.go", "*go.mod", "*go.sum", "THIRD_PARTY_NOTICES.txt", "embed/e5/LICENSE-*", "lexical/LICENSE-*"}, tools: []string{goVersion}},
	{name: "module-path", run: "check_module_path", inputs: []string{"*.go", "*.s", "*go.mod", "*go.sum", "Makefile", "go:./cmd/mneme"}, tools: []string{goVersion}, needs: []string{"packages"}},
	{name: "vulnerabilities", run: "check_vulnerabilities", inputs: []string{"*.go", "*go.mod", "*go.sum"}, tools: []string{goVersion, "date +%F"}, needs: []string{"go-tools", "packages"}},
	{name: "linked", run: "check_linked", inputs: []string{"go.sum"}, tools: []string{goVersion}, needs: []string{"program"}},
	{name: "generated", run: "check_generated", inputs: []string{"server", "clients/go", "go.mod", "go.sum"}, tools: []string{goVersion}},
	{name: "format", run: "check_format", inputs: []string{"*.go"}, tools: []string{goVersion}},

	// Checks of deployments and of clients.
	{name: "console", run: "check_console", inputs: []string{"console/check", "console/src/i18n", "benchmarks/relevance/testdata/report.json"}, tools: []string{chromium}, needs: []string{"console-packages", "node", "program"}},
	{name: "documents", run: "check_documents", inputs: append([]string{"go:./cmd/mneme", "clients", "examples"}, documents...), tools: []string{goVersion, python, npm}, needs: []string{"packages"}},
	{name: "site", run: "check_site", inputs: append([]string{"server/rest/openapi.yaml", "configs"}, documents...), tools: []string{chromium, files}, needs: []string{"python", "console-packages", "node"}},
	{name: "typescript-client", run: "check_typescript_client", inputs: []string{"clients/typescript", "server/rest/openapi.yaml"}, tools: []string{chromium}, needs: []string{"our-clients", "console-packages", "node", "program"}},
	{name: "python-client", run: "check_python_client", inputs: []string{"clients/python", "server/rest/openapi.yaml"}, needs: []string{"python", "our-clients", "clients", "program"}},
	{name: "examples", run: "check_examples", inputs: []string{"examples"}, needs: []string{"clients", "node", "our-clients", "program"}},
	{name: "memories", run: "check_memories", inputs: []string{"clients/python-memory", "docs/guides/frameworks.md"}, needs: []string{"clients", "our-clients", "program"}},
	{name: "typescript-memory", run: "check_typescript_memory", inputs: []string{"clients/typescript-memory"}, needs: []string{"node", "our-clients", "program"}},
	{name: "payments", run: "check_payments", inputs: []string{"go:./meter/payment/buyers", "meter/payment/buyers"}, tools: []string{goVersion}, needs: []string{"clients", "node", "our-clients", "webagents", "program"}},
	{name: "mcp", run: "check_mcp", inputs: []string{"go:./server/mcp/conformance"}, tools: []string{goVersion}, needs: []string{"node", "program"}},
	{name: "client-packages", run: "check_packages", inputs: []string{"deploy/packaging", "README.md", "LICENSE", "THIRD_PARTY_NOTICES.txt"}, tools: []string{python, npm}, needs: []string{"node", "program"}},
	{name: "console-build", run: "check_console_build", inputs: []string{"console", "server/rest/openapi.yaml"}, needs: []string{"console-packages", "node"}},
	{name: "openapi", run: "check_openapi", inputs: []string{"server/rest/openapi.yaml", "server/rest/redocly.yaml"}, tools: []string{goVersion}, needs: []string{"node", "packages", "python"}},
	{name: "openapi-requests", run: "check_openapi_requests", long: true, inputs: []string{"go:./cmd/mneme", "server/rest/openapi.yaml", "server/rest/schemathesis.toml", "server/rest/schemathesis_hooks.py"}, needs: []string{"python", "program"}},
	{name: "scripts", run: "check_scripts", inputs: []string{"*.py", "*.sh", "*.mjs", "*.ts", "*.svelte", "deploy/packaging/check/docker", "deploy/milvus.env", "ruff.toml", ".ci/run", ".ci/steps", ".github"}, needs: []string{"python", "node", "go-tools"}},
	{name: "deployment", run: "check_deployment", inputs: []string{"docker-compose.yml", "deploy", ".dockerignore"}, needs: []string{"go-tools", "python"}},
	{name: "chart", run: "check_chart", inputs: []string{"deploy/chart", "deploy/charttest"}, tools: []string{goVersion}, needs: []string{"python", "program"}},

	// Long runs only.
	{name: "release", run: "check_release", long: true, inputs: []string{":/", ".goreleaser.yaml"}, tools: []string{goVersion, system}, needs: []string{"packages", "python"}},
	{name: "guided-fuzzing", run: "check_guided_fuzzing", long: true, inputs: []string{goFiles, "clients/go"}, tools: []string{goVersion, system}, needs: []string{"postgres"}},
	{name: "arm64-everything", run: "check_arm64_everything", long: true, inputs: []string{"test:./vector/flat ./embed/maxsim ./embed/e5"}, tools: []string{goVersion, qemu}, needs: []string{"packages"}},
	{name: "windows-program-in-full", run: "check_windows cmd/mneme cmd/mneme/service", long: true, inputs: []string{"test:./cmd/mneme/...", "deploy/windows"}, tools: []string{goVersion, wine}, needs: []string{"packages"}},
	{name: "windows-use", run: "check_windows_use", long: true, inputs: []string{"go:./cmd/mneme", "deploy/windows", "examples/samples"}, tools: []string{goVersion, wine}, needs: []string{"packages"}},
	{name: "tests-in-full", run: "check_tests_in_full", long: true, inputs: []string{goFiles, "clients/go"}, tools: []string{goVersion, postgres, system}, needs: []string{"postgres", "milvus", "go-tools", "python"}},
	{name: "races-everywhere", run: "check_races_everywhere", long: true, inputs: []string{goFiles, "clients/go"}, tools: []string{goVersion, gcc, system}, needs: []string{"postgres", "milvus", "go-tools"}},
	{name: "pictures", run: "check_pictures", long: true, inputs: []string{"console/check", "examples/samples"}, tools: []string{chromium}, needs: []string{"console-packages", "node", "program"}},
	{name: "frameworks", run: "check_frameworks", long: true, inputs: []string{"clients/python-memory", "examples/model-sdks", "docs/guides/frameworks.md"}, needs: []string{"clients", "node", "our-clients", "frameworks-packages", "crewai-packages", "program"}},
	{name: "memory-tool", run: "check_memory_tool", long: true, inputs: []string{"examples/anthropic-python"}, needs: []string{"clients", "node", "program"}},
	{name: "portal", run: "check_portal", long: true, inputs: []string{"examples/robutler-skill/webagents_memory.py"}, needs: []string{"webagents", "program"}},

	// The README's command.
	{name: "tests", run: "check_tests", last: true, needs: []string{"postgres", "milvus", "go-tools", "python"}},
}
