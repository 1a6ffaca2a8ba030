"""How the documentation is built: `python3 run.py docs`."""

import builtins
import importlib
import re
import sys
from importlib.metadata import version as installed

from docutils import nodes

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
nitpicky = True  # a name that does not exist is a warning, and warnings are errors
suppress_warnings = ["ref.python", "misc.highlighting_failure"]


def bars_are_text(app, what, name, obj, options, lines):  # noqa: ARG001
    """Docstrings write |k| for an absolute value; reStructuredText would look for a substitution."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", "\\|") for line in lines]


def sentences_are_no_types(app, what, name, obj, options, lines):  # noqa: ARG001
    """Napoleon takes what stands before a colon in the docstring of an attribute for its type."""
    if what in ("attribute", "property") and (
        found := [line for line in lines if line.startswith(":type: ")]
    ):
        lines[:] = [f"{found[0].removeprefix(':type: ')}: {lines[0]}", *lines[1:]]
        lines[:] = [line for line in lines if line not in found]


def names_stand_alone(app, what, name, obj, options, lines):  # noqa: ARG001
    """Of `:ivar a, b:` Sphinx would make the name b of type a."""
    found = [(index, line) for index, line in enumerate(lines) if re.match(r":ivar [^:]+,[^:]+:", line)]
    for index, line in reversed(found):
        names, _, text = line.removeprefix(":ivar ").partition(":")
        end = next((i for i in range(index + 1, len(lines)) if not lines[i].startswith(" ")), len(lines))
        rest = lines[index + 1 : end]
        one_each = [[f":ivar {each.strip()}:{text}", *rest] for each in names.split(",")]
        lines[index:end] = [each for part in one_each for each in part]


def ours_only(app, what, name, obj, skip, options):  # noqa: ARG001
    """Leave out what scikit-learn adds to estimators: its docstrings refer to its own pages."""
    return skip or name in ("set_fit_request", "set_partial_fit_request", "set_score_request")


PUBLIC = ("securenb", "attacks", "protocols")


def found(name):
    """What a dotted name stands for; an `AttributeError` or `ImportError` if for nothing."""
    module, _, rest = name.partition(".")
    thing = importlib.import_module(module)
    for each in rest.split(".") if rest else ():
        if not hasattr(thing, each):
            importlib.import_module(f"{thing.__name__}.{each}")
        thing = getattr(thing, each)
    return thing


def names_that_exist(app, env, node, contnode):
    """A name that is not described here: a link if it is another path to one that is, text if it exists."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].partition("[")[0]
    target = target.replace("types.Annotated", "typing.Annotated").replace("pd.", "pandas.")
    try:
        thing = found(target)
    except (ImportError, AttributeError, ValueError):
        ours = [builtins, *(each for name, each in sys.modules.items() if name.partition(".")[0] in PUBLIC)]
        thing = next((vars(each)[target] for each in ours if target in vars(each)), None)
    if thing is None:
        return None
    domain = env.get_domain("py")
    for package in PUBLIC:
        name = f"{package}.{getattr(thing, '__name__', '')}"
        if name in domain.objects and found(name) is thing:
            return domain.resolve_xref(env, node["refdoc"], app.builder, "class", name, node, contnode)
    return contnode if isinstance(contnode, nodes.Node) else nodes.Text(target)


def setup(app):
    """Called by Sphinx."""
    app.connect("missing-reference", names_that_exist)
    app.connect("autodoc-process-docstring", bars_are_text)
    app.connect("autodoc-process-docstring", sentences_are_no_types, priority=900)  # after Napoleon
    app.connect("autodoc-process-docstring", names_stand_alone, priority=900)
    app.connect("autodoc-skip-member", ours_only)
