"""The seal: entries of a shared cache are signed with a key that only trusted builds have (Ed25519, RFC 8032).

The book's settings hold the public key, so every build can check a signature. Signing needs the secret, which only
trusted builds have in their environment. Unaware of what is signed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from figmill.config import Options
from figmill.errors import ToolError
from figmill.late_dataclasses import dataclass

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

LEAST = 32  # characters, at least, in a secret


@dataclass(frozen=True, slots=True)
class Seal:
    """Verifies and makes signatures; `sign` is None in a build without the secret."""

    is_signed: Callable[[bytes, str], bool]  # arguments: the message, and its signature in hexadecimal digits
    sign: Callable[[bytes], str] | None


def seal_of(options: Options, environ: Mapping[str, str] = os.environ) -> Seal | None:
    """The book's seal; None if its settings ask for none. Raises ToolError if they contradict the secret."""
    name = options.cache_key_env or ""
    if options.cache_key is None and not name:
        return None
    secret = environ.get(name, "").strip()
    if secret and len(secret) < LEAST:
        advice = "`openssl rand -hex 32` makes one"
        raise ToolError(f"the key in {name} has {len(secret)} characters; give it {LEAST} or more; {advice}")
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        text = "cache_key needs the package cryptography: pip install 'figmill[signed]'"
        raise ToolError(text) from None
    private = None
    if secret:
        seed = hashlib.sha256(b"figmill cache key\n" + secret.encode("utf-8", "surrogateescape")).digest()
        private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    public = ed25519.Ed25519PublicKey.from_public_bytes(_public(options.cache_key, private, name))

    def is_signed(message: bytes, signature: str) -> bool:
        try:
            public.verify(bytes.fromhex(signature), message)
        except (InvalidSignature, ValueError):
            return False
        return True

    return Seal(is_signed, None if private is None else lambda message: private.sign(message).hex())


def _public(stated: str | None, private: Ed25519PrivateKey | None, name: str) -> bytes:
    """The public key from the settings. If there is a secret, it must match."""
    if private is None:
        if stated is None:
            text = (
                f"cache_key_env needs cache_key beside it; build once with {name} set, and figmill prints it"
            )
            raise ToolError(text)
        return bytes.fromhex(stated)
    public = private.public_key().public_bytes_raw()
    if stated is None:
        text = "readers check what is signed with its public half; write this beside it"
        raise ToolError(f'cache_key_env: {text}: cache_key = "{public.hex()}"')
    if bytes.fromhex(stated) != public:
        advice = f'set the right key, or write cache_key = "{public.hex()}"'
        raise ToolError(f"cache_key is not the public half of the key in {name}; {advice}")
    return public
