#!/bin/sh
# Creates the files of an image besides the binary: root's files in ROOT/, the service's
# files in OWNED/.
#
#   deploy/packaging/image/tree.sh ROOT OWNED
set -eu
root=$1 owned=$2
cd "$(dirname "$0")/../../.."
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
install -d "$root/usr/share/licenses/mneme"
install -m 644 LICENSE THIRD_PARTY_NOTICES.txt embed/e5/LICENSE-* "$root/usr/share/licenses/mneme"
printf 'mneme:x:65532:65532::/var/lib/mneme:/mneme\n' >"$root/etc/passwd"
printf 'mneme:x:65532:\n' >"$root/etc/group"
install -d -m 700 "$owned/var/lib/mneme"
install -d -m 1777 "$owned/tmp"
