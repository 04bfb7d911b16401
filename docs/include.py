"""A preprocessor of mdBook: chapters that live elsewhere in the repository.

A chapter that consists of `This chapter is [PATH](PATH).` becomes that document. Its links lead to the chapters of the
documents that they name; a link to a file that is no chapter becomes its text.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "docs" / "src"
INCLUDE = re.compile(r"This chapter is \[\S+\]\((\S+)\)\.\s*")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def chapters(items):
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def included(chapter):
    """The document that a chapter stands for."""
    match = INCLUDE.fullmatch(chapter["content"])
    return match and (SRC / chapter["path"]).parent.joinpath(match[1]).resolve()


def rewritten(text, document, chapter, places):
    here = (SRC / chapter["path"]).parent

    def link(match):
        image, label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, _, anchor = target.partition("#")
        path = (document.parent / path).resolve()
        if image:
            picture = SRC / "pictures" / path.name
            if not picture.exists():
                shutil.copy(path, picture)
            path = picture
        path = places.get(path, path)
        if not path.is_relative_to(SRC) or path.is_dir():
            return label
        relative = os.path.relpath(path, here)
        return f"{image}[{label}]({relative}{'#' + anchor if anchor else ''})"

    # Code is left alone.
    parts = re.split(r"(```.*?```|^(?: {4}[^\n]*\n)+)", text, flags=re.S | re.M)
    return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    all_chapters = list(chapters(book.get("items") or book.get("sections")))
    places = {included(chapter): SRC / chapter["path"] for chapter in all_chapters if included(chapter)}
    for chapter in all_chapters:
        document = included(chapter)
        if document:
            chapter["content"] = rewritten(document.read_text(), document, chapter, places)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
