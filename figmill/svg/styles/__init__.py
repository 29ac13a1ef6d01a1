"""From CSS to attributes: rules, variables, conditions and the last frames of animations."""
