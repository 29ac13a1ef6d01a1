"""The first source that `new --kind plantuml` writes."""

from __future__ import annotations

from figmill.kind import Starter

_SOURCE = b"""\
@startuml
component "Reader" as reader
component "Site" as site <<routing>>
database "Cache" as cache <<data>>
reader --> site : asks for a page
site --> cache : looks it up
@enduml
"""

STARTER = Starter(
    ".puml",
    _SOURCE,
    alt="A reader asks a site for a page. The site looks it up in a cache.",
    more=("expect: {nodes: 3, edges: 2}",),
)
