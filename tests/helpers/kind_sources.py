"""Sources of two kinds that several tests draw."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PLANTUML_CORE = Path(os.environ.get("PLANTUML_CORE") or Path(sys.prefix, "node_modules/@plantuml/core"))
SEQUENCE = """\
@startuml
title A page
actor Reader
participant Site <<compute>>
Reader -> Site ++ : asks
alt there
  Site --> Reader : page
else missing
  Site ->x Reader : error
end
return done
@enduml
"""
# Type -> a source, and the facts that its drawing states.
PLANTUML: dict[str, tuple[str, dict[str, int | str]]] = {
    "sequence": (SEQUENCE, {"actors": 2, "messages": 4, "title": "A page"}),
    "class": (
        "@startuml\nabstract class Kind {\n +draw(): Raw\n}\nclass Dot <<data>>\nKind <|-- Dot\nnote left of Kind : a row\n"  # noqa: E501
        "interface Door\nDoor <|.. Kind\n@enduml\n",
        {"nodes": 4, "edges": 2},
    ),
    "component": (
        "@startuml\n[Pages] --> [Figures]\ncloud Net\nPages ..> Net\n@enduml\n",
        {"nodes": 3, "edges": 2},
    ),
    "state": ("@startuml\n[*] --> Idle\nIdle --> Busy : task\nBusy --> [*]\n@enduml\n", {"edges": 3}),
    "use case": ("@startuml\nactor Author\nAuthor --> (Write)\n@enduml\n", {"nodes": 2, "edges": 1}),
    "activity": (
        "@startuml\nstart\nif (new?) then (yes)\n:Draw;\nelse (no)\n:Keep;\nendif\nstop\n@enduml\n",
        {},
    ),
    "old endings": (
        "@startuml\nstart\n:Read/\nsplit\n:Ask|\nsplit again\n:Keep\nall}\nend split\n:Write;\nstop\n@enduml\n",
        {},
    ),
    "object": (
        '@startuml\nobject Book {\n title = "F"\n}\nobject Page\nBook --> Page\n@enduml\n',
        {"nodes": 2, "edges": 1},
    ),
    "entity": (
        "@startuml\nentity Book {\n * id : int\n}\nentity Page\nBook ||--o{ Page\n@enduml\n",
        {"nodes": 2, "edges": 1},
    ),
    "timing": ('@startuml\nconcise "User" as U\n@0\nU is Idle\n@100\nU is Busy\n@enduml\n', {}),
    "mindmap": ("@startmindmap\n* Figures\n** Graphs\n** Plots\n@endmindmap\n", {"type": "mindmap"}),
    "wbs": ("@startwbs\n* Book\n** Write\n** Build\n@endwbs\n", {}),
    "gantt": ("@startgantt\nProject starts 2026-01-05\n[Sketch] lasts 5 days\n@endgantt\n", {}),
    "json": ('@startjson\n{"figure": "a", "themes": ["light", "dark"]}\n@endjson\n', {}),
    "yaml": ("@startyaml\na: 1\nb:\n  - x\n@endyaml\n", {}),
    "ebnf": ('@startebnf\nnumber = ["-"], digit, {digit};\n@endebnf\n', {}),
    "fence": ("Alice -> Bob : without a start\n", {"messages": 1}),
    "icons": ("@startuml\nAlice -> Bob : <&globe> <:smile:> ok\n@enduml\n", {"messages": 1}),
}

HEAD = "import schemdraw\nimport schemdraw.elements as elm\nfrom schemdraw import flow, logic\n"
CIRCUITS = {
    "saved": "with schemdraw.Drawing(file='one.svg') as d:\n"
    "    elm.Resistor().label('R & D')\n    elm.Capacitor().down().label('$V_{in}x$', loc='bottom')\n",
    "plots": "import matplotlib.pyplot\nschemdraw.use('matplotlib')\nschemdraw.theme('dark')\n"
    "d = schemdraw.Drawing()\nd += elm.Opamp(leads=True)\nd.save('x.png')\n",
    "made": "with schemdraw.Drawing(show=False):\n    flow.Box().label('A long label: WMWMWM')\n",
    "drawn": "d = schemdraw.Drawing()\nd += logic.And().label('$\\\\mathrm{Q}_1$')\nd.draw().save('x.svg')\n",
    "timing": "with schemdraw.Drawing():\n    logic.TimingDiagram({'signal': [{'name': 'clock', 'wave': '0101'}]})\n",
    "returned": "from figmill import Drawing\ndef draw(n=2):\n    d = schemdraw.Drawing()\n"
    "    for _ in range(n):\n        d += elm.Resistor()\n    return Drawing(d, facts={'n': n})\n",
}
