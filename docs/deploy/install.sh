#!/bin/sh
# Installs or upgrades urlmeta from the files of a release, after checking them against SHA256SUMS.
set -eu
# Other users run the executable and read the manual page, whatever the umask of root.
umask 022

usage() {
  cat <<'EOF'
usage: install.sh [--prefix DIR] URL

URL is the base URL of the files of a release, such as
  https://github.com/urlmeta/urlmeta/releases/download/v1.2.3
--prefix DIR is the directory for bin/urlmeta and share/man/man1/urlmeta.1, by default /usr/local.

An existing executable is kept as bin/urlmeta.previous.
EOF
}

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Prints the name of this machine's platform in a release.
platform() {
  case "$(uname -m)" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no build for the processor $(uname -m)" ;;
  esac
  case "$(uname -s)" in
    # On Alpine, whose C library is musl, ldd prints its name.
    Linux) if ldd --version 2>&1 | grep -qi musl; then echo "linux-$arch-musl"; else echo "linux-$arch"; fi ;;
    Darwin) echo "darwin-$arch" ;;
    *) fail "there is no build for $(uname -s) that this script can install" ;;
  esac
}

# download URL FILE
download() {
  # Redirects must keep the scheme. wget has no such option and follows https to http, so it is not an alternative.
  curl --fail --silent --show-error --location --proto-redir "=${1%%:*}" --retry 2 --max-time 600 --output "$2" "$1" ||
    fail "cannot download $1"
}

# sha256_of FILE
sha256_of() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    fail 'sha256sum or shasum is needed'
  fi | cut -d ' ' -f 1
}

prefix=/usr/local
url=
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix)
      [ $# -ge 2 ] || fail '--prefix needs a directory'
      prefix=$2
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    -*) fail "unknown option $1" ;;
    *)
      [ -z "$url" ] || fail 'one URL is needed, not two'
      url=${1%/}
      ;;
  esac
  shift
done
if [ -z "$url" ]; then
  usage >&2
  exit 2
fi
[ -n "$prefix" ] || fail '--prefix needs a directory'
# Checksums downloaded without TLS could have been changed. In http://localhost:a@host/, localhost is a user name.
case "$url" in
  http://*@*) fail "not an https URL: $url" ;;
  https://* | http://localhost:* | http://127.0.0.1:*) ;;
  *) fail "not an https URL: $url" ;;
esac

has curl || fail 'curl is needed'
name=urlmeta-$(platform)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

download "$url/SHA256SUMS" "$folder/SHA256SUMS"
expected=$(awk -v file="$name.tar.gz" '$2 == file { print $1 }' "$folder/SHA256SUMS")
[ "${#expected}" -eq 64 ] || fail "SHA256SUMS does not have $name.tar.gz"
download "$url/$name.tar.gz" "$folder/$name.tar.gz"
found=$(sha256_of "$folder/$name.tar.gz")
[ "$found" = "$expected" ] || fail "$name.tar.gz does not match SHA256SUMS: $found instead of $expected. Nothing was installed"

tar -xzf "$folder/$name.tar.gz" -C "$folder"
# The build for Intel Macs has the signature of the Bun runtime, which is invalid for it; only a Mac can replace it.
if has codesign && ! codesign --verify "$folder/$name/urlmeta" 2>/dev/null; then
  codesign --force --sign - "$folder/$name/urlmeta" || fail 'codesign cannot sign the executable'
fi
version=$("$folder/$name/urlmeta" version) ||
  fail "the executable does not run on this machine. If $folder is mounted noexec, set TMPDIR to another directory"

mkdir -p "$prefix/bin" "$prefix/share/man/man1" || fail "cannot write to $prefix: run this as another user, or give --prefix"
program=$prefix/bin/urlmeta
# Copied to the same directory first, so that the last step is an atomic rename.
trap 'rm -rf "$folder" "$program.new"' EXIT
cp "$folder/$name/urlmeta" "$program.new" || fail "cannot write to $prefix/bin"
chmod 755 "$program.new"
# Installing the same version again must not replace the previous executable.
if [ -e "$program" ] && ! cmp -s "$program" "$program.new"; then
  rm -f "$program.previous"
  ln "$program" "$program.previous"
fi
mv "$program.new" "$program"
cp "$folder/$name/urlmeta.1" "$prefix/share/man/man1/urlmeta.1"
chmod 644 "$prefix/share/man/man1/urlmeta.1"
echo "$version is installed as $program"
[ ! -e "$program.previous" ] || echo "The previous version is $program.previous"
