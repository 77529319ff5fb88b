"""How the documentation site is built: ``make docs``. Needs no network."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generated  # the parts of the pages that are read off the code
from sphinx.directives.code import CodeBlock

import msj

project = "msj"
author = "The msj developers"
copyright = "The msj developers, BSD 3-clause licence"  # noqa: A001  # Sphinx's name for it
version = release = msj.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

html_theme = "furo"
html_title = "msj"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
exclude_patterns = ["_static"]
myst_heading_anchors = 3
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the signatures have them; the text says what they mean
autodoc_default_options = {"members": True}
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
napoleon_preprocess_types = False


class CodeCell(CodeBlock):
    """A cell of the notebook, shown as code; the tests run it."""

    required_arguments = 1


def setup(app):
    """Fill in the generated parts as pages are read."""
    app.add_directive("code-cell", CodeCell)
    app.connect("source-read", generated.fill_in)
    app.connect("env-get-outdated", generated.outdated)
