"""CSS for HTML labels: values, properties, the computed style, and the drawing's own rules for its labels."""
