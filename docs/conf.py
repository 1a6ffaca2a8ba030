"""How the documentation is built: `python3 run.py docs`."""

from importlib.metadata import version as installed

project = "securenb"
author = "The securenb authors"
copyright = "2026, the securenb authors"  # noqa: A001 - the name that Sphinx reads
release = installed("securenb")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "securenb"
html_static_path = ["_static"]
html_css_files = ["style.css"]
toc_object_entries = False  # thousands of names on every page are no help

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # the notebooks are kept without outputs
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # pages load nothing from elsewhere
autodoc_mock_imports = ["flwr", "dask", "ray"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": True}
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
# a class's attributes are described in its docstring; autodoc would list them a second time
napoleon_use_ivar = True
napoleon_attr_annotations = False
suppress_warnings = ["ref.python", "misc.highlighting_failure"]


def bars_are_text(app, what, name, obj, options, lines):  # noqa: ARG001
    """Docstrings write |k| for an absolute value; reStructuredText would look for a substitution."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", "\\|") for line in lines]


def ours_only(app, what, name, obj, skip, options):  # noqa: ARG001
    """Leave out what scikit-learn adds to estimators: its docstrings refer to its own pages."""
    return skip or name in ("set_fit_request", "set_partial_fit_request", "set_score_request")


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", bars_are_text)
    app.connect("autodoc-skip-member", ours_only)
