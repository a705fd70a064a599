"""How the documentation is built: ``make docs``, or sphinx-build with what ``pip install '.[dev]'`` brings."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]  # this theorycalc, not another one that is installed

from theorycalc import __version__  # noqa: E402 - the path comes first

project = "theorycalc"
author = "The theorycalc developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    *sorted(path.stem for path in (HERE / "_ext").glob("[a-z]*.py")),  # our own, each with a reason to exist
]

exclude_patterns = ["**/.ipynb_checkpoints", "_examples"]  # the API pages show those
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_fence_as_directive = ["math"]  # GitHub's way to write a display
myst_heading_anchors = 4
nitpicky = True
highlight_language = "text"  # an indented block is a formula in plain text

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88

# The pages work from a disk without a network: MathJax comes from npm when they are built (_ext/offline_math.py).
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {
    "tex": {"inlineMath": [["\\(", "\\)"]], "displayMath": [["\\[", "\\]"]]},
    "svg": {"scale": 0.92},  # letters as large as those of the text
    "options": {"enableMenu": False},  # the menu's speech engine would be fetched
}

html_theme = "furo"
html_title = f"theorycalc {release}"
html_static_path = ["_static"]
templates_path = ["_templates"]
html_css_files = ["theorycalc.css"]
html_copy_source = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#005a8c", "color-brand-content": "#005a8c"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
