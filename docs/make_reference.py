"""``make reference``: write the generated parts into the pages, so that they can be read in the repository.

A page says ``<!-- generated: NAME -->`` where a part begins and ``<!-- end -->`` where it ends; what stands between is
replaced. A part without an end is for the site only (``generated.fill_in``). With ``--check``, nothing is written and
the exit code is 1 if a page is not what the code says.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

from generated import PARTS  # noqa: E402

WRITTEN = re.compile(r"(<!-- generated: ([\w-]+) -->)\n(?:(?!<!-- generated:).)*?(<!-- end -->)", re.DOTALL)


def renewed(text):
    """Return a page with its generated parts as the code has them now."""
    return WRITTEN.sub(lambda place: f"{place[1]}\n\n{PARTS[place[2]]().strip()}\n\n{place[3]}", text)


def outdated():
    """Return the pages whose generated parts are not what the code says, with what they should be."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}
    return {path: new for path, old in pages.items() if (new := renewed(old)) != old}


if __name__ == "__main__":
    found = outdated()
    for path, text in found.items():
        print(path.relative_to(DOCS.parent))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    sys.exit(1 if found and "--check" in sys.argv else 0)
