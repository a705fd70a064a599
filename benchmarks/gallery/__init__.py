"""Figures of papers, remade: one module for each page of docs/gallery."""
