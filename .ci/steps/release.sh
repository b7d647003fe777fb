# shellcheck shell=bash
# The artifacts of a release.

GORELEASER=github.com/goreleaser/goreleaser/v2@v2.14.3 # later ones need a newer Go

# The Helm chart is linted, and its output is decoded strictly.
check_chart() {
	helm lint --strict --quiet deploy/chart
	cd deploy/charttest
	go mod tidy -diff
	go run . "$(command -v helm)" "$mneme" ../chart
}

# The published files of a release, from a copy of the repository with a tag: some ten minutes.
check_release() {
	local tree=$work/release
	{ command -v buildah && command -v ruby; } >/dev/null || install_packages buildah ruby
	GOBIN=$work/bin go install -gcflags='all=-N -l' -ldflags=-s "$GORELEASER"
	git clone --quiet . "$tree"
	copy "$tree"
	git -C "$tree" add -A
	git -C "$tree" -c user.name=check -c user.email=check@example.com commit --quiet --allow-empty -m checked
	git -C "$tree" tag v1.2.2
	export GNUPGHOME=$work/gnupg BUILDAH="buildah --root $work/images --storage-driver vfs"
	mkdir -m 700 "$GNUPGHOME"
	gpg --batch --quiet --passphrase '' --quick-generate-key release@example.com
	(
		cd "$tree"
		PATH=$tree/deploy/packaging/check:$work/bin:$PATH GPG_FINGERPRINT=release@example.com
		export GPG_FINGERPRINT
		goreleaser check --quiet
		quietly goreleaser release --snapshot --clean --parallelism 1
	)
	# shellcheck disable=SC2086 # a command with its flags
	python "$PWD/deploy/packaging/check/check.py" "$tree" 1.2.3-dev $BUILDAH
	gpgconf --kill all
}
