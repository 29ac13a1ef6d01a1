from __future__ import annotations

from abc import ABC, abstractmethod


class Storage(ABC):
    @abstractmethod
    def get(self, key: str) -> bytes: ...

    @abstractmethod
    def put(self, key: str, value: bytes) -> None: ...


class FileStorage(Storage):
    folder: str


class ObjectStorage(Storage):
    bucket: str
    region: str
