"""What a program may do with a book: list, draw, check, preview, and write a question."""

from pathlib import Path

SKILL = Path(__file__).with_name("SKILL.md")  # for programs that draw: what to do with each finding
