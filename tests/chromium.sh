#!/bin/sh
# Chromium for the tests that look at figures as a reader would; from the system's packages where it is missing.
set -eu
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ -n "${CHROMIUM:-}" ] || [ -d "/Applications/Google Chrome.app" ] || [ -d "/Applications/Chromium.app" ]; then
  exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
  exit 0
fi
echo "Chromium is missing: install it (Debian: apt-get install chromium) or set CHROMIUM=/path/to/it" >&2
exit 1
