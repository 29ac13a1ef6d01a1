#!/bin/sh
# Compare a book's figures with those of $AGAINST: a page at $REPORT, a summary for the job, the exit code as an output.
# Changed figures do not fail the job; failing ones do, and so does a base that is not there.
set -u
code=0
render-visuals --root "$BOOK" --check --against "$AGAINST" --report "$REPORT" --summary --format github || code=$?
echo "code=$code" >>"$GITHUB_OUTPUT"
test "$code" -eq 0 || test "$code" -eq 3
