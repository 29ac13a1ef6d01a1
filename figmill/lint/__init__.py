"""`lint`: checks that a build does not run, because they need the whole book, a second drawing or a judgement."""
