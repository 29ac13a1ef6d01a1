#!/bin/sh
# Chromium and Liberation Sans for the tests that look at figures as a reader would; from the system's packages where
# they are missing. DejaVu comes with matplotlib. An ordinary user cannot install them: those tests are skipped and say so.
set -eu
missing=""
found=""
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then found=yes; fi
done
if [ -n "${CHROMIUM:-}" ] || [ -d "/Applications/Google Chrome.app" ] || [ -d "/Applications/Chromium.app" ]; then
  found=yes
fi
if [ -z "$found" ]; then missing="chromium"; fi
if ! fc-list 2>/dev/null | grep -q LiberationSans-Regular; then missing="$missing fontconfig fonts-liberation"; fi
if [ -z "$missing" ]; then exit 0; fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
  exit 0
fi
echo "missing: $missing (Debian: apt-get install $missing, or set CHROMIUM=/path/to/chromium); their tests will be skipped" >&2
