"""A JPEG reduced to its picture: without metadata, thumbnail, comments, or data after its end.

The picture itself is not re-encoded, because every encoding loses a little and never reaches a fixed point. Its tables
and coefficients are copied segment by segment (ITU-T T.81, Annex B). Knows nothing of what they show.
"""

from __future__ import annotations

EOI, SOS = 0xD9, 0xDA
FRAMES = (0xC0, 0xC1, 0xC2)  # baseline, extended and progressive, with Huffman codes
TABLES = (0xC4, 0xDB, 0xDD)  # Huffman, quantisation, restart interval
DROPPED = (*range(0xE0, 0xF0), 0xFE)  # application data, comments
ADOBE = 0xEE
RESTARTS = range(0xD0, 0xD8)
MOST_SCANS = 64  # a progressive one has about ten
# Declares three components to be YCbCr, without resolution or thumbnail.
JFIF = b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"


def bare(data: bytes) -> bytes | None:
    """The picture alone; None for rare kinds and for data that violate T.81."""
    if data[:2] != b"\xff\xd8":
        return None
    parts = [b"\xff\xd8", JFIF]
    at, scans = 2, 0
    while at + 4 <= len(data) or data[at : at + 2] == b"\xff\xd9":
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if marker == EOI:
            return b"".join([*parts, b"\xff\xd9"]) if scans else None
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4])
        if end < at + 4 or end > len(data):
            return None
        segment = data[at:end]
        if marker == SOS:
            end = _end_of_scan(data, end)
            scans += 1
            if scans > MOST_SCANS:
                return None
            parts.append(data[at:end])
        elif marker in TABLES or (marker in FRAMES and _is_plain(segment)):
            parts.append(segment)
        elif marker not in DROPPED or (
            marker == ADOBE and segment[4:9] == b"Adobe" and segment[15:16] != b"\x01"
        ):
            return None
        at = end
    return None


def _end_of_scan(data: bytes, at: int) -> int:
    """The end of the entropy-coded data: the next marker other than stuffing and restarts."""
    while (at := data.find(b"\xff", at)) >= 0 and at + 1 < len(data):
        if data[at + 1] and data[at + 1] not in RESTARTS:
            return at
        at += 2
    return len(data)


def _is_plain(frame: bytes) -> bool:
    """Whether a frame has eight bits per sample, and one grey or three colour components."""
    count = frame[9] if len(frame) > 9 else 0
    return frame[4] == 8 and count in (1, 3) and len(frame) == 10 + 3 * count
