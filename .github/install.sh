#!/bin/sh
# Install figmill: $FIGMILL where it is set, else the figmill of this action with the packages of its lock, by their digests.
# Nothing of the checkout is loaded: -I leaves out the current folder, whose modules would stand for those of Python.
set -eu
cd "$ACTION"
if test -n "$FIGMILL"; then
  python -I -m pip install "$FIGMILL"
else
  python -I -m pip install --require-hashes -r "$ACTION/.github/requirements.lock"
  set -- "$ACTION"
  for project in "$ACTION"/packages/*/pyproject.toml; do set -- "$@" "${project%/pyproject.toml}"; done
  python -I -m pip install --no-deps --no-build-isolation "$@"
fi
# A required sandbox needs bubblewrap, and Ubuntu 24.04 lets only root make the namespaces that it is made of.
if test "$FIGMILL_SANDBOX" = require && test "$(uname)" = Linux; then
  sudo=$(command -v sudo || true)
  command -v bwrap >/dev/null || { $sudo apt-get update -qq && $sudo apt-get install -y -qq bubblewrap; }
  limit=/proc/sys/kernel/apparmor_restrict_unprivileged_userns
  test ! -e "$limit" || echo 0 | $sudo tee "$limit" >/dev/null
fi
