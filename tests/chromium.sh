#!/bin/sh
# Chromium and Liberation Sans for the tests that look at figures as a reader would; from the system's packages where
# they are missing. DejaVu comes with matplotlib. An ordinary user cannot install them: those tests are skipped and say so.
# Debian has a Chromium without windows, chromium-headless-shell. It draws the same and takes less than half of the
# processor time, so that it is installed beside another one, too.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }

may_install=""
if has apt-get && [ "$(id -u)" = 0 ]; then may_install=yes; fi

missing=""
if ! fc-list 2>/dev/null | grep -q LiberationSans-Regular; then missing="fontconfig fonts-liberation"; fi

if [ -n "${CHROMIUM:-}" ] || has chromium-headless-shell; then
  :
elif [ -d "/Applications/Google Chrome.app" ] || [ -d "/Applications/Chromium.app" ]; then
  :
elif has chromium || has chromium-browser || has google-chrome; then
  # An apt that has never been updated does not know it, and the tests run without it.
  if [ -n "$may_install" ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    missing="$missing chromium-headless-shell"
  fi
else
  if [ -n "$may_install" ]; then apt-get update -qq; fi
  if [ -n "$may_install" ] && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    missing="$missing chromium-headless-shell"
  else
    missing="$missing chromium"
  fi
fi

if [ -z "$missing" ]; then exit 0; fi
if [ -n "$may_install" ]; then
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
  exit 0
fi
echo "missing: $missing (Debian: apt-get install $missing, or set CHROMIUM=/path/to/chromium); their tests will be skipped" >&2
