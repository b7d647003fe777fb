# The commands of everyday work. Each calls what the repository already has;
# .ci/run is the complete check, on a bare machine with Go.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
FUZZTIME ?= 10s
# Keep in step with .ci/steps/go.sh.
GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: help build test short race lint fuzz bench regression generate tidy notices module ci

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/mneme
	CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/mneme ./cmd/mneme

test: ## run all tests
	go test ./...
	go -C clients/go test ./...

short: ## run the tests without the slow ones
	go test -short ./...

race: ## run the short tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -short ./memory/... ./search ./indexer/... ./storage/... ./vector/... ./server/...

lint: ## run go vet and golangci-lint
	go vet ./...
	go -C clients/go vet ./...
	go run $(GOLANGCI) run ./...
	cd clients/go && go run $(GOLANGCI) run ./...

fuzz: ## fuzz one target: make fuzz PKG=./vector TARGET=FuzzHalf FUZZTIME=1m
	$(if $(and $(PKG),$(TARGET)),,$(error usage: make fuzz PKG=./vector TARGET=FuzzHalf))
	go test -run '^$$' -fuzz '^$(TARGET)$$' -fuzztime $(FUZZTIME) $(PKG)

bench: ## run every Go benchmark, or those of PKG
	go test -run '^$$' -bench . $(or $(PKG),./...)

regression: ## compare the speed of HEAD with that of the last release, or of BASE
	go run ./benchmarks/regression $(if $(BASE),-base $(BASE))

generate: ## generate code, clients and console from server/rest/openapi.yaml
	go generate ./...
	go -C clients/go generate ./...
	clients/generate.sh

tidy: ## tidy both go.mod and format the code
	go mod tidy
	go -C clients/go mod tidy
	gofmt -w $$(git ls-files '*.go')

notices: ## list the modules of the binary in THIRD_PARTY_NOTICES.txt
	go run ./deploy/packaging/notices

# PATH of the command line hides the variable of the environment, which is where commands
# are found: GNU make 4.4 hides it from $(shell) too, Linux shows what make began with.
ifeq ($(origin PATH),command line)
COMMANDS := $(shell a=$$(/usr/bin/tr '\000' '\012' 2>/dev/null </proc/$$PPID/environ | /usr/bin/sed -n 's/^PATH=//p'); echo "$${a:-$$PATH}")
endif
module: ## set the path of the modules: make module PATH=example.com/owner/mneme
	@$(if $(COMMANDS),,$(error usage: make module PATH=example.com/owner/mneme))export PATH='$(COMMANDS)' && go run ./deploy/packaging/module '$(PATH)'

ci: ## run everything that must pass before a change is merged
	.ci/run
