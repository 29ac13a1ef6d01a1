"""Settings: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from figmill.config import Options, find_root, load
from figmill.config.settings import SETTINGS
from figmill.config.toml_lines import line_of
from figmill.errors import ToolError
from figmill.palette import ROLES, Role

HEAD = "[project]\nname = 'book'\n\n[tool.figmill]\n"


@pytest.fixture(autouse=True)
def questions(tmp_path: Path) -> None:
    """A book has questions."""
    (tmp_path / "questions").mkdir()
    (tmp_path / "more/questions").mkdir(parents=True)


def options(root: Path, lines: str) -> Options:
    (root / "pyproject.toml").write_text(HEAD + lines, encoding="utf-8")
    return load(root)


def test_a_book_needs_no_settings(tmp_path: Path) -> None:
    assert load(tmp_path) == Options()
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nkey = 'figmill'\n")
    assert load(tmp_path) == Options()


def test_every_setting(tmp_path: Path) -> None:
    settings = options(
        tmp_path,
        """
        questions = ["questions", "more/questions"]
        visuals = "figures"
        output = "out/figures"
        themes = ["dark", "light"]
        font = "'Source Sans 3',Arial"
        mono = "Menlo"
        fonts = ["fonts/Book.ttf"]
        background = "none"
        timeout = 5
        memory = "512 MiB"
        sandbox = "require"
        sandbox_read = ["/data/sets"]
        cache = "../shared"
        [tool.figmill.palette]
        compute = {fill = "#ABC", line = "#001122"}
        [tool.figmill.palette.cooling]
        fill = "#111111"
        line = "#222222"
        dark_fill = "#333333"
        dark_line = "#444444"
        [tool.figmill.lint]
        contrast = "error"
        """,
    )
    first, *others = ROLES
    assert settings == Options(
        questions=("questions", "more/questions"),
        visuals=("figures",),
        output="out/figures",
        themes=("light", "dark"),
        font="'Source Sans 3', Arial",
        mono="Menlo",
        fonts=("fonts/Book.ttf",),
        background="none",
        timeout=5.0,
        memory=512 << 20,
        sandbox="require",
        sandbox_read=("/data/sets",),
        cache="../shared",
        palette=(
            Role("compute", "#aabbcc", "#001122", first.dark_fill, first.dark_line),
            *others,
            Role("cooling", "#111111", "#222222", "#333333", "#444444"),
        ),
        lint=(("contrast", "error"),),
    )


@pytest.mark.parametrize(
    ("written", "size"),
    [("2 GiB", 2 << 30), ("2GiB", 2 << 30), ("1.5 GiB", 3 << 29), ("500 MB", 500_000_000), ("1 TB", 10**12)],
)
def test_amounts_of_memory(tmp_path: Path, written: str, size: int) -> None:
    assert options(tmp_path, f'memory = "{written}"').memory == size


def test_in_place(tmp_path: Path) -> None:
    assert options(tmp_path, 'output = "in-place"').in_place
    assert not Options().in_place


def test_a_file_of_its_own_wins(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(HEAD + "timeout = 1")
    (tmp_path / "figmill.toml").write_bytes(b"\xef\xbb\xbftimeout = 2\r\n[palette]\r\n")
    assert load(tmp_path).timeout == 2
    (tmp_path / "figmill.toml").write_text("[tool.figmill]\ntimeout = 3")
    assert load(tmp_path).timeout == 3


# (lines below [tool.figmill], which is line 4; what is said)
WRONG = [
    ("outptu = 'x'", "5: unknown setting 'outptu'; did you mean 'output'?"),
    (
        "x = 1",
        f"5: unknown setting 'x'; choose one of {', '.join(SETTINGS)}",
    ),
    ("output = '../x'", "5: output must be a folder inside the book, written with '/', not \"../x\""),
    ("output = '/x'", "5: output must be a folder inside the book, written with '/', not \"/x\""),
    ("output = 'C:/x'", "5: output must be a folder inside the book, written with '/', not \"C:/x\""),
    ("output = '.'", "5: output must be a folder of its own, not the book's root"),
    ("output = '.git/x'", "5: output must not be inside .git"),
    ("visuals = 'vendor/.ssh'", "5: visuals must not be inside .ssh"),
    (
        "languages = ['en']",
        "5: languages has no effect: 'en' is the book's own language; name the other ones",
    ),
    ("output = 'visuals'", "5: output 'visuals' would contain 'visuals'; give it a folder of its own"),
    ("output = 'a'\nquestions = 'a/q'", "5: output 'a' would contain 'a/q'; give it a folder of its own"),
    (
        "output = 'visuals/built'",
        "5: output 'visuals/built' is inside 'visuals'; give it a folder of its own",
    ),
    ("output = 3", "5: output must be a folder, not 3"),
    ("visuals = []", "5: visuals must name at least one folder, and none twice"),
    ("visuals = ['a', 'a/']", "5: visuals must name at least one folder, and none twice"),
    ("themes = ['drak']", '5: themes must be a list of "light" and "dark", not [\'drak\']'),
    (
        "font = 'A; fill: red'",
        "5: font must be font names with commas between them; 'A; fill: red' is not one",
    ),
    ("font = 'A, '", "5: font must be font names with commas between them; '' is not one"),
    ("fonts = 'x.ttf'", '5: fonts must be a list of files, not "x.ttf"'),
    ("background = 'white'", "5: background must be 'page' or 'none', not \"white\""),
    ("timeout = true", "5: timeout must be a number of seconds above 0, at most 86400, not true"),
    ("timeout = -1", "5: timeout must be a number of seconds above 0, at most 86400, not -1"),
    ("timeout = nan", "5: timeout must be a number of seconds above 0, at most 86400, not nan"),
    ("memory = 2", '5: memory must be an amount like "2 GiB" or "500 MB", not 2'),
    ("memory = '2 gigs'", '5: memory must be an amount like "2 GiB" or "500 MB", not "2 gigs"'),
    (
        "memory = '999999999 TB'",
        '5: memory is more than any machine has: "999999999 TB"; give it at most "64 TiB"',
    ),
    (
        "sandbox_read = ['/data', '/dev']",
        "5: sandbox_read must list folders and files of data; a sandbox has devices "
        'and processes of its own, and cannot show "/dev"',
    ),
    (
        "sandbox_read = ['//proc/self']",
        "5: sandbox_read must list folders and files of data; a sandbox has devices "
        'and processes of its own, and cannot show "//proc/self"',
    ),
    ("lint" + ".a" * 400_000 + " = 1", "5: a key has more than 64 parts; no setting has more than 5"),
    ("lint" + ".a" * 60 + " = 1", "5: lint is nested more than 4 deep; no setting needs more than 2"),
    (
        "palette = " + "{a = " * 9 + "1" + "}" * 9,
        "5: palette is nested more than 4 deep; no setting needs more than 2",
    ),
    ("fonts = " + "[" * 5000 + "]" * 5000, "5: lists or tables are nested too deep"),
    (
        f"questions = '{'q' * 300}'",
        f'5: questions must be a folder that a file system can hold; this name is too long: "{"q" * 80}..."',
    ),
    ("memory = '1 MiB'", '5: memory is too little for any figure: "1 MiB"; give it at least "64 MiB"'),
    (
        "sandbox_read = '/data'",
        '5: sandbox_read must be a list of folders and files, like ["/data/sets"], not "/data"',
    ),
    ("sandbox_read = ['../x']", '5: sandbox_read must list full paths, like "/data/sets", not "../x"'),
    ("sandbox_read = ['/']", '5: sandbox_read must list full paths, like "/data/sets", not "/"'),
    (
        "sandbox = 'requires'",
        "5: sandbox must be 'auto' or 'require' or 'off', not \"requires\"; did you mean 'require'?",
    ),
    ("cache_key_env = 'FIGMILL_K'", "5: cache_key_env needs a shared cache; set cache to its folder too"),
    (
        "cache = 'c'\ncache_key = 'abc'",
        '6: cache_key must be the 64 hexadecimal digits that a build with the key prints, not "abc"',
    ),
    (
        "cache = 'c'\ncache_key_env = 'ab-c'",
        "6: cache_key_env must be the name of an environment variable, "
        "never the key itself; a name is letters, digits and '_'",
    ),
    *(
        (
            f"cache = 'c'\ncache_key_env = '{name}'",
            '6: cache_key_env must be the name of a variable that begins with FIGMILL_, like "FIGMILL_CACHE_KEY"',
        )
        for name in ("PATH", "GITHUB_TOKEN", "figmill_k", "XFIGMILL_K")
    ),
    ("cache = ''", '5: cache must be a folder, not ""'),
    (
        "palette.compute.fil = '#fff'",
        "5: palette.compute.fil is not a colour of a role; did you mean 'fill'?",
    ),
    (
        "[tool.figmill.palette]\ncompute = {fill = 'red'}",
        '6: palette.compute.fill must be a colour like "#cfe2f3", not "red"',
    ),
    (
        "[tool.figmill.palette.x]\nfill = '#fff'",
        "5: palette.x is a new role, so it needs line, dark_fill, dark_line too",
    ),
    ("[tool.figmill.palette]\ntext = {}", "6: palette.text is not a valid name for a role"),
    (
        "[tool.figmill.lint]\n# why\ncontrast = 'on'",
        "7: lint.contrast must be 'off' or 'note' or 'warn' or 'error', not \"on\"",
    ),
    ("lint = 'off'", '5: lint must be a table of checks, like contrast = "off"'),
    ("[tool.figmill.lint]\ncontrat = 'off'", "6: lint.contrat is not a check; did you mean 'contrast'?"),
    ("style = 10", "5: style must be a table, like {grid = 10}"),
    (
        "[tool.figmill.style]\ngaps = 10\nlinewidth = 1",
        "7: style.linewidth is not a rule; did you mean 'line_width'?",
    ),
    ("[tool.figmill.style]\ngrid = 0", "6: style.grid must be a number of px from 0.1 to 1000, not 0"),
    (
        "[tool.figmill.style]\ngaps = 'eqal'",
        '6: style.gaps must be a number of px, or "equal", not "eqal"; did you mean \'equal\'?',
    ),
    (
        "[tool.figmill.style]\nroutes = 'ortogonal'",
        "6: style.routes must be 'orthogonal' or 'straight' or 'free', not \"ortogonal\"; "
        "did you mean 'orthogonal'?",
    ),
    (
        "[tool.figmill.style]\npadding = {beside = 20, abov = 8}",
        "6: style.padding.abov is not a length of it; did you mean 'above'?",
    ),
    (
        "[tool.figmill.style]\npadding = {beside = 20, above = -8}",
        "6: style.padding.above must be a number of px from 0 to 1000, not -8",
    ),
    (
        "[tool.figmill.style]\nsmallest_box = 40",
        "6: style.smallest_box must be a table, like {width = 80, height = 40}, not 40",
    ),
    (
        "[tool.figmill.style]\nline_width = [1, true]",
        "6: style.line_width must be a number of px from 0.1 to 1000, not true",
    ),
    ("[tool.figmill.style]\nradius = []", "6: style.radius must name at least one number of px"),
    (
        "[tool.figmill.style]\narrowheads = ['filld']",
        "6: style.arrowheads must be 'filled' or 'hollow' or 'open', or a list of these, not \"filld\"; "
        "did you mean 'filled'?",
    ),
    (
        "[tool.figmill.style]\ntext_sizes = 0",
        "6: style.text_sizes must be a whole number from 1 to 100, not 0",
    ),
    (
        "[tool.figmill.style]\ncolours = 'data'",
        '6: style.colours must be a list of roles and colours, like ["data", "#336699"], not "data"',
    ),
    (
        "[tool.figmill.style]\ncolours = ['#36z']",
        '6: style.colours must list roles and colours like "#336699", not "#36z"',
    ),
    (
        "[tool.figmill.style]\ncolours = [\n  'compute',\n  'dat',\n]",
        "8: style.colours names the role \"dat\", which the palette lacks; did you mean 'data'?",
    ),
    ("timeout = ", "5: Invalid value"),
    ("timeout = 1 2", "5:13: Expected newline or end of document after a statement"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG, ids=[lines[:30] for lines, _ in WRONG])
def test_what_is_wrong(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(ToolError) as caught:
        options(tmp_path, lines)
    assert str(caught.value) == f"pyproject.toml:{message}"


def test_the_root_is_the_nearest_folder_with_questions(tmp_path: Path) -> None:
    inner = tmp_path / "book" / "visuals" / "cloud"
    inner.mkdir(parents=True)
    (tmp_path / "book" / "questions" / "cloud").mkdir(parents=True)
    assert find_root(inner) == tmp_path / "book"
    assert find_root(tmp_path / "book" / "questions" / "cloud") == tmp_path / "book"


def test_the_root_may_have_questions_of_another_name(tmp_path: Path) -> None:
    (tmp_path / "fragen" / "x").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.figmill]\nquestions = 'fragen'\n")
    assert find_root(tmp_path / "fragen" / "x") == tmp_path


def test_a_book_where_every_user_may_write_is_not_found_from_below(tmp_path: Path) -> None:
    """As in /tmp: somebody else's book, and its scripts, would be built."""
    below = tmp_path / "shared" / "mine"
    below.mkdir(parents=True)
    (tmp_path / "shared" / "questions").mkdir()
    assert find_root(below) == tmp_path / "shared"
    (tmp_path / "shared").chmod(0o1777)
    with pytest.raises(ToolError):
        find_root(below)
    assert find_root(tmp_path / "shared") == tmp_path / "shared", "who stands in it wants it"


def test_no_book(tmp_path: Path) -> None:
    (tmp_path / "questions").rmdir()
    with pytest.raises(ToolError) as caught:
        find_root(tmp_path)
    assert str(caught.value).startswith(
        f"there is no questions/ in {tmp_path} or above it; run this inside a book"
    )


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("a",), 1),
        (("t", "b"), 3),
        (("t", "c", "d"), 4),
        (("t", "u", "e"), 6),
        (("t", "u"), 5),
        (("z",), None),
    ],
)
def test_lines_are_found(keys: tuple[str, ...], line: int | None) -> None:
    assert line_of("a = 1\n[t]\n'b' = [\n  c . d = 2\n[ t.u ]\ne = 3 # x = 1\n", keys) == line


def test_settings_load_quickly() -> None:
    """Every start of the command waits for them."""
    code = "import sys, figmill.config; print(*(n for n in ('yaml', 'lxml', 'click') if n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
