"""From a drawing to what is published: SVG in themes, PNG and PDF, the manifest and the gallery."""
