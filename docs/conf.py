"""Settings of Sphinx: ``pip install '.[docs]' && sphinx-build -W docs build/docs`` makes web pages of the Markdown."""

project = "Tilewright"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
master_doc = "index"
myst_heading_anchors = 3  # links to headings work as they do on the repository's pages
suppress_warnings = [
    "myst.xref_missing",  # links to files outside this folder, which work where the pages are read as they are
    "toc.not_included",  # index.md lists the pages in a table, which reads well without Sphinx
]
