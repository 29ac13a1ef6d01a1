"""What `new --kind drawio` begins with: a diagram that the editor opens."""

from __future__ import annotations

from figmill.kind import Starter

STARTER = Starter(
    ".drawio",
    b"""\
<mxfile>
  <diagram name="Page-1">
    <mxGraphModel>
      <root>
        <mxCell id="0"/>
        <mxCell id="1" parent="0"/>
        <mxCell id="reader" value="Reader" vertex="1" parent="1"
          style="html=1;fillColor=#cfe2f3;strokeColor=#4a90c4;">
          <mxGeometry width="120" height="60" as="geometry"/>
        </mxCell>
        <mxCell id="site" value="Site" vertex="1" parent="1"
          style="html=1;fillColor=#d4edda;strokeColor=#3d9e5a;">
          <mxGeometry x="240" width="120" height="60" as="geometry"/>
        </mxCell>
        <mxCell id="asks" value="asks" style="edgeStyle=orthogonalEdgeStyle;html=1;" edge="1" parent="1"
          source="reader" target="site">
          <mxGeometry relative="1" as="geometry"/>
        </mxCell>
      </root>
    </mxGraphModel>
  </diagram>
</mxfile>
""",
    alt="A reader asks a site.",
    more=("expect: {nodes: 2, edges: 1}",),
)
