"""A bucket behind a real server, over HTTP: s3fs, and moto in the place of Amazon S3, MinIO or Ceph."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space, four_figures

pytestmark = pytest.mark.soak


@pytest.fixture
def bucket() -> Iterator[tuple[Any, dict[str, str]]]:
    """A file system with the bucket `figures`, and the variables with which a build reaches it."""
    server = pytest.importorskip("moto.server", reason="needs the packages moto[server] and s3fs")
    s3fs = pytest.importorskip("s3fs", reason="needs the packages moto[server] and s3fs")
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    variables = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    files = s3fs.S3FileSystem(
        endpoint_url=variables["AWS_ENDPOINT_URL"],
        key="someone",
        secret="something",
        skip_instance_cache=True,
    )
    files.mkdir("figures")
    yield files, variables
    running.stop()


def test_a_second_machine_finds_in_the_bucket_what_the_first_has_drawn(
    space: Space, bucket: tuple[Any, dict[str, str]]
) -> None:
    files, variables = bucket
    four_figures(space).write({"pyproject.toml": '[tool.figmill]\ncache = "s3://figures/book"\n'})
    ran = space.run(env=variables)
    assert (ran.code, ran.err) == (0, "")
    entries = {Path(name).name for name in files.find("figures/book")}
    assert len(entries) == 3, "a drawing by hand is not drawn"
    first = space.outputs()
    for name in ("build", ".figmill"):
        shutil.rmtree(space.root / name)
    ran = space.run("--format", "json", env=variables)
    assert ran.code == 0 and space.outputs() == first
    assert sum(figure["seconds"] for figure in ran.json["figures"]) == 0, ran.out
    shutil.rmtree(space.root / ".figmill")
    ran = space.run(env={**variables, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "PATH": os.environ["PATH"]})
    assert ran.code == 0 and space.outputs() == first, "nobody answers: figures are drawn here"
    assert "the cache s3://figures/book cannot be read" in ran.err
