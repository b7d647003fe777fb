# shellcheck shell=bash
# Go's own checks, and the programs built from the modules.

GOLANGCI=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
BENCHSTAT=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da # the tests of benchmarks/regression run it
GOVULNCHECK=golang.org/x/vuln/cmd/govulncheck@v1.8.0
COMPOSE=github.com/compose-spec/compose-go/v2/cmd@v2.1.3 # later ones ignore variables
SHFMT=mvdan.cc/sh/v3/cmd/shfmt@v3.13.0
ACTIONLINT=github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

# The number of packages tested in parallel. Many tests wait for servers and disks, so it
# exceeds the number of processors.
packages=$(($(nproc) * 3))

setup_packages() {
	local missing=()
	command -v gcc >/dev/null || missing+=(gcc libc6-dev) # for the race detector
	command -v qemu-aarch64 >/dev/null || missing+=(qemu-user)
	command -v java >/dev/null || missing+=(default-jre-headless) # for openapi-generator
	command -v npx >/dev/null || missing+=(npm)
	command -v make >/dev/null || missing+=(make)
	command -v gpg >/dev/null || missing+=(gnupg)
	command -v chromium >/dev/null || missing+=(chromium)
	[ -x /usr/lib/wine/wine64 ] && command -v x86_64-w64-mingw32-gcc >/dev/null || missing+=(wine64 gcc-mingw-w64-x86-64)
	[ -n "$(postgres_bin)" ] || missing+=(postgresql)
	[ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
	python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3 python3-venv)
	[ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
}

install_packages() {
	as_root apt-get update -qq
	DEBIAN_FRONTEND=noninteractive as_root apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

setup_go_tools() {
	mkdir -p "$tools/bin"
	local tool
	for tool in "$GOLANGCI" "$GOVULNCHECK" "$BENCHSTAT" "$SHFMT" "$ACTIONLINT"; do GOBIN=$tools/bin go install "$tool"; done
	GOBIN=$work go install "$COMPOSE"
	mv "$work/cmd" "$tools/bin/compose"
}

# in_modules COMMAND…: runs it in both modules: ./... in one excludes the other.
in_modules() {
	local module
	for module in . clients/go; do (cd "$module" && "$@"); done
}

setup_program() { go build -o "$mneme" ./cmd/mneme; }

# The requirements match the imports, the modules match their checksums, and
# THIRD_PARTY_NOTICES.txt lists the linked modules.
check_modules() {
	in_modules go mod tidy -diff
	go run ./deploy/packaging/notices -check
	export GOWORK=$work/go.work # go mod verify fails for a replaced module without a dot in its path
	go work init . clients/go
	go mod verify
}

# The modules build at another path, too.
check_module_path() {
	copy "$work"
	cd "$work"
	make -s module PATH=example.com/owner/mneme
	go vet ./cmd/mneme
	go -C clients/go vet ./...
}

# Known vulnerabilities in called code. GOVULNDB may name a mirror of the database.
# Without a database the check is skipped, and the line says so.
check_vulnerabilities() {
	local database=${GOVULNDB:-https://vuln.go.dev}
	if ! python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=20)' "$database/index/db.json" 2>/dev/null; then
		echo "govulncheck: the vulnerability database could not be reached; not checked"
		return
	fi
	in_modules govulncheck -db "$database" ./...
}

# The SDK of Milvus requires Sentry's client, which could send data to others. The
# linker drops it; see docs/dependencies.md.
check_linked() {
	local linked
	linked=$(go tool nm "$mneme" | grep -E ' [tT] github\.com/getsentry/' | grep -vE '\.init(\.[0-9]+)?$' || true)
	[ -z "$linked" ] || fail "the binary contains functions of sentry-go: $linked"
}

check_format() {
	local files
	files=$(existing '*.go' | xargs -0 gofmt -l)
	[ -z "$files" ] || fail "gofmt would change: $files"
}

# All supported platforms except this machine's, for which the other steps build. Only one
# program is linked.
check_platforms() {
	local platform
	for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64; do
		[ "$platform" != "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" ] || continue
		GOOS=${platform%/*} GOARCH=${platform#*/} go build -o /dev/null ./cmd/mneme
		GOOS=${platform%/*} GOARCH=${platform#*/} go -C clients/go build ./...
		# Tests too, once for each system and each processor.
		[[ $platform = @(darwin/amd64|windows/arm64) ]] || GOOS=${platform%/*} GOARCH=${platform#*/} go vet ./...
	done
}

# In Wine: tests of the differences on Windows (of the program, only the tests of files and of
# the service unless the run is long), and a user's first steps.
check_windows() { deploy/windows/test.sh "$@"; }
check_windows_program() { only='Sync|Import|Folder|Service|Listen|Usage' check_windows cmd/mneme cmd/mneme/service; }
check_windows_use() { deploy/windows/try.sh; }

# The pattern ./... excludes folders whose names begin with a dot.
ci=(./.ci/check ./.ci/summary)

check_vet() {
	go vet ./... "${ci[@]}"
	go -C clients/go vet ./...
	go -C deploy/charttest vet .
}

check_lint() {
	golangci-lint run ./... "${ci[@]}"
	(cd clients/go && golangci-lint run ./...)
}

check_ci() { go test "${ci[@]}"; }

# docker-compose.yml as Docker reads it; without passwords it must be rejected.
# The Dockerfile is linted, since there is no engine to build it.
check_deployment() {
	! compose docker-compose.yml >/dev/null 2>&1 || fail "docker-compose.yml does not require passwords"
	POSTGRES_PASSWORD=a MNEME_DB_PASSWORD=b MINIO_PASSWORD=c compose docker-compose.yml >/dev/null
	hadolint deploy/Dockerfile deploy/packaging/image/Dockerfile
}

# Generated code must be up to date. A copy is generated: Go does not cache test results over
# rewritten files.
check_generated() {
	copy "$work"
	(cd "$work" && go generate ./server/... && go -C clients/go generate ./...)
	existing '*.gen.go' | xargs -0 -I{} cmp {} "$work/{}"
}

# The README's command, with a count.
check_tests() {
	in_modules go test -p "$packages" -json -timeout 30m ./... | go run ./.ci/summary
}

# Randomized tests run many times: kills of the program and of its database, attacks,
# properties; and tests run on each database with each index.
check_tests_in_full() { TESTS=full check_tests; }

# The same in parallel with the other checks, since many tests wait. Go caches the results.
check_tests_beside() { quietly check_tests; }

# Packages that share data between goroutines, over the embedded storage: the service's
# goroutines are the same over each. In the long run everything, over servers too.
check_races() {
	unset CI MNEME_POSTGRES_DSN MNEME_MILVUS_ADDR
	export CGO_ENABLED=1
	local test=(go test -p "$packages" -race -short -timeout 30m)
	"${test[@]}" ./memory/... ./search/... ./meter/... ./indexer/... ./vector ./vector/flat ./server/... ./embed/openai/... ./embed/rerank ./internal/... ./cmd/compose
	(cd clients/go && "${test[@]}" ./...)
	# SQLite itself is slow under the detector, and one goroutine does most of its suite.
	"${test[@]}" -run 'Process|Waiting|TestStorage/(Transaction|Feed|Queue|Turn|Ledger|Charge)$' ./storage/sqlite
}

check_races_everywhere() {
	CGO_ENABLED=1 in_modules go test -p "$packages" -race -timeout 120m ./...
}

# Each fuzz target for a while, beyond the seeds of every test run. The limit is a count,
# and inputs are not minimized: with a time limit, Go's fuzzer sometimes reports its own
# deadline as a failure (golang.org/issue/75804). Coverage guides it in the long run alone: all
# packages, the databases among them, are compiled once more for it.
check_guided_fuzzing() { guided=yes fuzz "${MNEME_FUZZ_TIME:-10000x}" ./...; }
fuzz() {
	local folder target targets times=$1
	having Fuzz "${@:2}" >"$work/folders"
	while read -r folder; do
		cd "$folder"
		go test -c ${guided:+-fuzz=.} -o "$work/fuzz.test" # once for all its targets
		mapfile -t targets < <(grep -hoE '^func Fuzz\w+' ./*_test.go | cut -c6-)
		for target in "${targets[@]}"; do
			echo "$folder $target"
			quietly "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$times" -test.fuzzminimizetime 0x -test.fuzzcachedir "$work/fuzzcache"
		done
	done <"$work/folders"
}

# having WORD PACKAGE…: prints the folders of packages whose tests have functions with names
# that begin with the word.
having() {
	local folders
	folders=$(go list -f '{{.Dir}}' "${@:2}") || return
	while read -r folder; do ! grep -qs "^func $1" "$folder"/*_test.go || echo "$folder"; done <<<"$folders" | sort
}

# Benchmarks must still run; their figures mean nothing here.
check_benchmarks() {
	having Benchmark "$@" >"$work/folders"
	quietly xargs -a "$work/folders" go test -short -run '^$' -bench . -benchtime 1x
}
check_speed() { "$mneme" bench speed --backends sqlite+flat,postgres+milvus --entries 100,200 --stores 4 --questions 20; }

# The packages with arm64 kernels, emulated. Of the encoder only the tests that
# compare its bits with amd64: emulated, it takes a second per text.
check_arm64() {
	GOARCH=arm64 go test -short -timeout 20m -exec qemu-aarch64 ./vector/flat ./embed/maxsim
	GOARCH=arm64 go test -timeout 20m -exec qemu-aarch64 ./embed/e5 \
		-run '^Test(Product|Multiply|VectorFunctions|Exp|Quantize|VectorsAreTheSameBits|CodesAreTheSameBits)'
}

# All their tests, the encoder's against the golden vectors among them.
check_arm64_everything() {
	GOARCH=arm64 go test -timeout 120m -exec qemu-aarch64 ./vector/flat ./embed/maxsim ./embed/e5
}
