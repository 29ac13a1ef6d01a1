#!/bin/sh
# libraries.sh PYTHON: what the wheel of Graphviz takes from the system, where a bare Debian has it not: glib, and parts of X11.
# As root they are installed. For an ordinary user they are fetched from Debian all the same, and laid beside the wheel's own.
set -eu
python=$1
packages="libglib2.0-0 libxext6 libxrender1"
loads() { "$python" -c 'from pygraphviz import graphviz' >/dev/null 2>&1; }
if [ "$(uname)" != Linux ] || loads; then exit 0; fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "Graphviz does not load; it needs the libraries that Debian calls $packages. Install those of this system" >&2
  exit 1
fi
if [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  # apt with its state in a folder of this user, who may not write that of the system.
  own() {
    apt-get -qq -o Debug::NoLocking=1 -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" \
      -o APT::Sandbox::User="" "$@"
  }
  own update
  # shellcheck disable=SC2086
  own install --download-only --yes --no-install-recommends $packages
  for package in "$folder"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$folder/system"; done
  beside=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/pygraphviz.libs
  find "$folder/system" -name 'lib*.so.*' -exec cp -P {} "$beside" \;
fi
if ! loads; then
  echo "Graphviz does not load (Debian: apt-get install $packages):" >&2
  "$python" -c 'from pygraphviz import graphviz' >&2
fi
