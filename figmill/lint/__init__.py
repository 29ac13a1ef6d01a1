"""`lint`: the checks that a build does not do, because they need the whole book, a second drawing or a judgement."""
