"""What figmill's kinds and those of other packages may use: their only way into figmill.

A kind is a subclass of Kind and a module that draws: a Job goes in, a Raw comes out. Text, colours, files of the book
and errors stand here. Parts with a subject of their own are modules of this package: `source_text` and `source_words`
(read and translate a source), `links` (where one may lead), `drawn_text` (what an SVG may hold), `tables` and `stated`
(what a figure shows, for readers who cannot see it, and for checks), `named` (its numbers, as facts), `drawn_words` (a
table of nothing but words), `typefaces` (the book's fonts), `formulas` (TeX's notation, set by mathtext), `javascript`
(V8), `vega`, `vega_data` and `vega_words` (Vega-Lite), `script` and `script_figures` (Python scripts).
docs/developers/add-a-kind.md shows a kind from end to end.
"""

from figmill import font_metrics as font_metrics
from figmill.config.readers import Setting as Setting
from figmill.config.readers import one_of as one_of
from figmill.errors import AuthorError as AuthorError
from figmill.errors import ToolError as ToolError
from figmill.errors import did_you_mean as did_you_mean
from figmill.errors import harmless as harmless
from figmill.errors import looking_for as looking_for
from figmill.host import files as files
from figmill.host import inside as inside
from figmill.host.temporary import temporary_folder as temporary_folder
from figmill.kind.definition import AFTER as AFTER
from figmill.kind.definition import BEFORE as BEFORE
from figmill.kind.definition import IN_SOURCE as IN_SOURCE
from figmill.kind.definition import Hint as Hint
from figmill.kind.definition import Kind as Kind
from figmill.kind.definition import Needs as Needs
from figmill.kind.definition import Process as Process
from figmill.kind.definition import Renderer as Renderer
from figmill.kind.definition import Scripts as Scripts
from figmill.kind.definition import Starter as Starter
from figmill.kind.definition import Taken as Taken
from figmill.kind.job import Job as Job
from figmill.kind.job import Raw as Raw
from figmill.kind.job import Remark as Remark
from figmill.kind.job import memory_limit as memory_limit
from figmill.kind.job import source as source
from figmill.model import Fact as Fact
from figmill.model import FigureTable as FigureTable
from figmill.model import Json as Json
from figmill.model import Origin as Origin
from figmill.palette import GRID as GRID
from figmill.palette import MUTED as MUTED
from figmill.palette import PAGE as PAGE
from figmill.palette import ROLES as ROLES
from figmill.palette import TEXT as TEXT
from figmill.palette import role as role
from figmill.wording import Words as Words
from figmill.wording import current as current
