#!/bin/sh
# strace and bubblewrap for the tests of faults and of the sandbox; from the system's packages where they are missing.
# Without them, or where a container forbids their work, those tests are skipped and say so.
set -eu
[ "$(uname)" = Linux ] || exit 0
if command -v strace >/dev/null 2>&1 && command -v bwrap >/dev/null 2>&1; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends strace bubblewrap
  exit 0
fi
echo "strace or bubblewrap is missing (Debian: apt-get install strace bubblewrap); their tests will be skipped" >&2
