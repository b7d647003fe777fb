# shellcheck shell=bash
# Shared by the scripts here: Wine with its own Windows in a temporary folder, $scratch.
# Both end with the script. Installs Debian's wine64 and mingw-w64 if they are missing.

export GOOS=windows GOARCH=amd64 CGO_ENABLED=0
scratch=$(mktemp -d)
export WINEPREFIX=$scratch/prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=;bcryptprimitives=n"
wine=/usr/lib/wine/wine64 # not in PATH without the package wine
stub=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll

end_wine() {
	[ ! -d "$WINEPREFIX" ] || /usr/lib/wine/wineserver -k || true # of this prefix only; it may have ended
	rm -rf "$scratch"
}
trap end_wine EXIT

# path_of FILE: prints its path on Windows, whose drive Z is the host's root.
path_of() { echo "Z:${1//\//\\}"; }

install_wine() {
	local missing=()
	[ -x "$wine" ] || missing+=(wine64)
	command -v x86_64-w64-mingw32-gcc >/dev/null || missing+=(gcc-mingw-w64-x86-64)
	[ ${#missing[@]} -gt 0 ] || return 0
	local as_root=()
	[ "$(id -u)" = 0 ] || as_root=(sudo)
	"${as_root[@]}" apt-get update -qq
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
}

# start_wine: creates the Windows installation, some 700 MB.
start_wine() {
	install_wine
	"$wine" wineboot --init 2>/dev/null
	x86_64-w64-mingw32-gcc -shared -Wall -Werror -O2 -o "$stub" "$(dirname "${BASH_SOURCE[0]}")/bcryptprimitives.c" -ladvapi32
}
