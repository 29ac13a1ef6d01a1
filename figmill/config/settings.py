"""The table of settings: the reader of each, and its text in the reference (docs/reference/settings.md).

Standard library only. The defaults are those of Options.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from figmill.checks import LEVELS, LONGEST
from figmill.config import readers
from figmill.config.demand import MODES, READABLE, SANDBOX
from figmill.config.figure_limits import Limits
from figmill.config.readers import Setting
from figmill.config.style import style

_FOLDERS = "a folder inside the book, or a list of such folders"
_FAMILIES = "font names with commas between them"
_CHARACTERS = f"a whole number from 1 to {LONGEST}"

LIMITS: Mapping[str, Setting] = MappingProxyType(
    {
        "megapixels": Setting(
            readers.megapixels,
            f"a number above 0, at most {readers.MOST_MEGAPIXELS}",
            "How many megapixels all pictures in a figure may have together; larger ones are published smaller.",
            "8",
        ),
        "picture_bytes": Setting(
            readers.picture_bytes,
            f"an amount, at most {readers.amount(readers.MOST_PICTURE_BYTES)}",
            "How many bytes all pictures in a figure may have together, as published.",
            '"1500 KB"',
        ),
        "alt": Setting(
            readers.characters,
            _CHARACTERS,
            "How many characters an alt text may have, facts filled in.",
            "3000",
        ),
        "caption": Setting(
            readers.characters, _CHARACTERS, "How many characters a caption may have, facts filled in.", "900"
        ),
    }
)


def limits(value: object) -> Limits:
    """The table `limits`."""
    return Limits(**readers.table_of(LIMITS, value, "limit", "{megapixels = 4}"))


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "questions": Setting(
            readers.folders, _FOLDERS, "Where the question files are, subfolders included.", '"chapters"'
        ),
        "visuals": Setting(
            readers.folders, _FOLDERS, "Where the sources of figures are.", '["visuals", "shared/visuals"]'
        ),
        "fences": Setting(
            readers.languages,
            "a list of names of code blocks",
            "Which code blocks in pages are figures, see [Fences](../fences.md).",
            '["mermaid", "dot"]',
        ),
        "images": Setting(
            readers.suffixes,
            "a list of suffixes",
            "Which images in pages are figures, see [An existing site](../adopting.md).",
            '["svg", "png"]',
        ),
        "pages": Setting(
            readers.folders,
            _FOLDERS,
            "Where the pages are whose code blocks and images may be figures; if only `fences` or `images` is set, "
            "`docs`.",
            '["docs", "handbook"]',
        ),
        "output": Setting(
            readers.output,
            'a folder of its own inside the book, or `"in-place"`',
            "Where the SVGs, the manifest and the gallery go; `in-place` puts each SVG beside its source.",
            '"docs/figures"',
        ),
        "language": Setting(
            readers.language,
            "the code of a language",
            "The language of the words in questions and sources.",
            '"de"',
        ),
        "languages": Setting(
            readers.tongues,
            "a list of codes of languages",
            "The [other languages](../languages.md) in which each figure is drawn too.",
            '["de", "ja"]',
        ),
        "words": Setting(
            readers.words,
            "a table of languages, each a table of English texts",
            "What figmill itself [says in pages](../languages.md#what-figmill-says-in-pages), in a language that it "
            "does not know, or in other words.",
            '{sv = {"Description and data" = "Beskrivning och data"}}',
        ),
        "themes": Setting(
            readers.themes,
            'a list of `"light"` and `"dark"`',
            "The themes that each figure is drawn for.",
            '["light"]',
        ),
        "font": Setting(
            readers.families,
            _FAMILIES,
            "The fonts of text, in order of preference.",
            '"Source Sans 3, Arial"',
        ),
        "mono": Setting(
            readers.families, _FAMILIES, "The monospaced fonts, for code and columns.", '"Menlo, monospace"'
        ),
        "fonts": Setting(
            readers.paths,
            "a list of font files, and of packages",
            "Fonts for characters that figmill's own fonts lack: .ttf, .otf or .ttc files in the book, or "
            "installed packages of fonts, such as those of the extra `fonts`.",
            '["fonts/SourceSans3.ttf", "noto-cjk-sans-otc"]',
        ),
        "background": Setting(
            readers.one_of("page", "none"),
            '`"page"` or `"none"`',
            "What lies behind a light figure: a rectangle in the colour of the page, or nothing.",
            '"none"',
        ),
        "descriptions": Setting(
            readers.one_of("details", "files", "none"),
            '`"details"`, `"files"` or `"none"`',
            "Whether pages offer the [description and the data](../descriptions.md) of a figure below it; `files` "
            "writes the CSV files alone.",
            '"files"',
        ),
        "claims": Setting(
            readers.one_of("off", "contradicted", "strict"),
            '`"off"`, `"contradicted"` or `"strict"`',
            "Whether numbers in texts are compared with [what figures state](../facts.md#numbers-in-text), "
            "and whether one that a figure contradicts is a warning or an error.",
            '"strict"',
        ),
        "claim_keys": Setting(
            readers.names,
            "a list of keys of questions",
            "Which keys of a question hold prose about its figures; without it, all that hold text.",
            '["scenario", "answer"]',
        ),
        "claims_record": Setting(
            readers.file,
            "a file inside the book",
            "Where `figmill claims --record` writes [what each number was bound to](../facts.md#the-record).",
            '"docs/claims.json"',
        ),
        "timeout": Setting(
            readers.seconds,
            f"seconds, above 0, at most {readers.MOST_SECONDS}",
            "How long drawing one figure may take.",
            "120",
        ),
        "memory": Setting(
            readers.memory,
            f"an amount, from {readers.amount(readers.LEAST_MEMORY)} to {readers.amount(readers.MOST_MEMORY)}",
            "How much memory drawing one figure may take, beyond the libraries.",
            '"4 GiB"',
        ),
        "sandbox": Setting(
            readers.one_of(*MODES),
            '`"auto"`, `"require"` or `"off"`',
            "Whether scripts run inside bubblewrap: `auto` uses it where it works, "
            "`require` runs no script without it, `off` never uses it. "
            f"`--sandbox` and the variable `{SANDBOX}` override it.",
            '"require"',
        ),
        "sandbox_read": Setting(
            readers.outside,
            "a list of full paths",
            "Files and folders outside the book that scripts may read in the sandbox. "
            f"If `{SANDBOX}` is `require`, only those that `{READABLE}` names.",
            '["/data/sets"]',
        ),
        "cache": Setting(
            readers.folder_or_store,
            "a folder, also outside the book, or the address of a bucket (`s3://`, `gs://`, `az://`)",
            "Where other machines and CI jobs find drawings; without it, only this book uses them.",
            '"../shared-cache"',
        ),
        "cache_key": Setting(
            readers.public_key,
            "64 hexadecimal digits",
            "The public key that verifies entries of the shared cache.",
            f'"{"0123456789abcdef" * 4}"',
        ),
        "cache_key_env": Setting(
            readers.variable,
            f"the name of an environment variable that begins with `{readers.VARIABLE}`",
            "Where trusted builds find the secret that signs entries of the shared cache.",
            '"FIGMILL_CACHE_KEY"',
        ),
        "rasterise": Setting(
            readers.count,
            f"a whole number from 0 to {readers.MOST_COUNT}",
            "How many elements one artist of a plot may have before it becomes a picture; 0: any number.",
            "20000",
        ),
        "cycle": Setting(
            readers.one_of("matplotlib", "book"),
            '`"matplotlib"` or `"book"`',
            "Which colours the lines of a plot take [one after the other](../sources.md#matplotlib): matplotlib's own, "
            "or the palette's, with dashes.",
            '"book"',
        ),
        "limits": Setting(limits, "a table, see below", "How large a figure may be.", "{megapixels = 8}"),
        "palette": Setting(
            readers.palette,
            "a table of roles",
            "The book's colours by meaning, see [the palette](../themes.md#the-palette).",
            '{compute = {fill = "#dbe9ff"}}',
        ),
        "style": Setting(
            style,
            "a table, see below",
            "What drawings must keep, see [house style](../fix.md#house-style).",
            "{grid = 10}",
        ),
        "lint": Setting(
            readers.lint,
            "a table of checks, each " + " or ".join(f'`"{level}"`' for level in LEVELS),
            "Whether each [check](checks.md) warns, fails the figure, or is off.",
            '{contrast = "error"}',
        ),
    }
)
