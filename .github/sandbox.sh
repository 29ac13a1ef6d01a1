#!/bin/sh
# Install bubblewrap and strace, and let an ordinary user make the namespaces of the sandbox, which Ubuntu 24.04 forbids.
set -eu
sudo=$(command -v sudo || true)
if ! command -v bwrap >/dev/null || ! command -v strace >/dev/null; then
  $sudo apt-get update -qq
  $sudo apt-get install -y -qq --no-install-recommends bubblewrap strace
fi
limit=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
test ! -e "$limit" || echo 0 | $sudo tee "$limit" >/dev/null
