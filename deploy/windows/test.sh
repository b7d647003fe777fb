#!/usr/bin/env bash
# Runs the tests of the packages that differ on Windows, compiled for it, in Wine. It does
# not test Windows's own file systems and consoles.
#
#	[only=PATTERN] deploy/windows/test.sh [PACKAGE…]
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/windows/wine.sh
. deploy/windows/wine.sh

[ $# -gt 0 ] || set -- internal/system crypto acl embed/e5 storage/sqlite memory cmd/mneme cmd/mneme/service

unset CI "${!MNEME_@}" # these tests use no servers, which other tests may use meanwhile
start_wine
[[ $* != *cmd/mneme* ]] || go build -o "$scratch/mneme.exe" ./cmd/mneme
MNEME_TEST_PROGRAM=$(path_of "$scratch/mneme.exe")
ZONEINFO=$(path_of "$(go env GOROOT)/lib/time/zoneinfo.zip") # the program embeds its own
export MNEME_TEST_PROGRAM ZONEINFO
for package; do
	go test -c -o "$scratch/package.test.exe" "./$package"
	(
		cd "$package"
		echo "$package"
		"$wine" "$scratch/package.test.exe" -test.short -test.run "${only:-}" -test.timeout 20m
	)
done
