"""CSS as HTML has it: values, properties, the style in force, and what a drawing's own rules say of its labels."""
