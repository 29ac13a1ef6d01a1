"""From a drawing to the published files: SVG in each theme, PNG and PDF, the manifest and the gallery."""
