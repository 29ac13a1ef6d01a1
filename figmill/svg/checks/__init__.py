"""What a reader may stumble over: one check a file, each a pass that tells and changes at most a colour."""
