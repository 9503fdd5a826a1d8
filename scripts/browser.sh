#!/bin/sh
# Installs Debian's chromium for the browser tests. Without apt or the right to use it, it says so and ends with 0:
# the browser tests are skipped then.
set -u

skip() {
    echo "No browser was installed: $1. The browser tests will be skipped." >&2
    echo "To run them, install Chromium or Chrome, or set WIDTHWISE_CHROMIUM to its program." >&2
    exit 0
}

for program in "${WIDTHWISE_CHROMIUM:-}" chromium google-chrome; do
    if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then
        echo "The browser tests use $(command -v "$program")."
        exit 0
    fi
done
command -v apt-get >/dev/null 2>&1 || skip "there is no apt-get"
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    skip "apt-get needs root or sudo without a password"
fi

# Another apt-get may hold the lock for a while.
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
echo "Installing chromium for the browser tests (about a minute) ..."
$apt update || echo "apt-get update failed; the lists at hand are used." >&2
$apt install --yes --no-install-recommends chromium >/dev/null || skip "apt-get install chromium failed"
command -v chromium >/dev/null 2>&1 || skip "the package chromium has no program chromium"
echo "The browser tests use $(command -v chromium)."
