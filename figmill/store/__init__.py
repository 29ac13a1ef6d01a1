"""Everything a build keeps on disk: the book's files, the ledger, and the caches of drawings and parsed questions."""
