"""Repairs of a drawing's layout: what moves where, decided from its structure and its findings."""
