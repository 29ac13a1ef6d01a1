"""What is done once to a drawing that is let in: what tools write in a way of their own is written plainly."""
