"""Code and comments: in them no relative reference is a link, and whole URLs are; markdown-it and docutils beside."""

from __future__ import annotations

import re

from anyurl.text import find
from anyurl.text.readers.verbatim import MarkdownVerbatim, RstVerbatim
from tests.rows import each_row


def links(text: str, format: str, size: int = 0) -> list[str]:
    data = text.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)] if size else [data]
    return [str(one.url).removeprefix("http://b/") for one in find(pieces, format=format, base="http://b/")]


MARKDOWN = {
    "a fence": "```js\nhandlers[i](event)\n\n<a href=no>\n```\n[a](ok)\n",
    "a fence of tildes, with a shorter one in it": "~~~~\n~~~\n[a](no)\n```\n~~~~~\n[a](ok)",
    "a fence that never ends": "[a](ok)\n```\n\n[a](no)\n\n[b](no)",
    "a fence in a quotation that ends with it": "> ```\n> [a](no)\n\n[a](ok)",
    "a fence in a list": "- x\n\n  ```\n  [a](no)\n  ```\n\n  [a](ok)\n",
    "a fence that its list item ends": "- ```\n  [a](no)\n\n[a](ok)\n",
    "a fence in an admonition": '!!! note "T"\n\n    ```\n    [a](no)\n    ```\n\n    [a](ok)\n',
    "backticks that are no fence": "``` a ` b\n[a](ok)\n",
    "code spans": "`a[b](no)` ``c ` [d](no)`` [a](ok) `[e](no)\n[f](no)` `[g](ok2)",
    "an escaped backtick": "\\`[a](ok)\\`",
    "a comment": "<!-- [a](no)\n\n[b](no) --> [c](no)\n[d](ok)\n",
    "a comment in a line": "x <!-- [a](no) --> [b](ok) <!-- [c](ok2)\n",
    "indented code": "x\n\n    [a](no)\n\n\t[b](no)\n\n[c](ok)\n",
    "indented text of a paragraph": "x\n    [a](ok)\n",
    "indented text of a list": "1. x\n\n    [a](ok)\n\n    [b](ok2)\n\ny\n\n    [c](no)\n",
    "an admonition": "!!! note\n\n    [a](ok)\n\n    [b](ok2)\n",
    "a note": "[^1]: x\n\n    [a](ok)\n",
    "elements with text": "<pre>\n[a](no)\n\n[b](no)\n</pre>\n[c](ok)\n",
    "prose that looks like a definition": "[Note]: this is\n\n[x]: ok\n\n[y]: ok2 'a'\n\n[z]: <ok3>\n\n[b]: no 'x' y\n",
    "an escaped bracket": "\\[a](no) [b\\](no) [c\\]](ok) ](no) ![d](ok2)\n\n](no)",
    "a destination with a space": "[a](no file.md) [b](ok.md \"t\") [c](<ok2 x.md>) [d](ok3 (t)) [e](no 't)",
    "tags": '<p align="center"><img src="ok"><a\n href=\'ok2\' title="[x](no)">[t](ok3)</a></p> 1 <a> `<a href=no>`',
    "deep parentheses": "[g](ok/alias(sum(scale(keep(a.b,(c))))))",
    "templates with one end": "[a]({{< ref \"n\" >}}) [b]({{ s.x }}/n) <a href=\"{% url \"n\" %}\"> <a href='<?php n'>",
    "comments of MDX": "x {/* [a](no) */} [b](ok)\n\n{/* [c](no)\n\n[d](no)\n*/}\n[e](ok2)\n",
    "components of MDX": "<Tabs>\n\n    [a](ok)\n\n</Tabs>\n\nx\n\n    [b](no)\n",
    "expressions of JSX": "<img src={require('./no').default} /> <a href={no}> <a href={`/no/${x}`}> <Link href='ok'>",
    "code of Hugo": "{{< highlight go >}}\na[0](no)\n\nb[0](no)\n{{< /highlight >}}\n[a](ok)\n{{% highlight %}}\n",
    "code of Jekyll": "{% highlight c %}\na[0](no)\n\nb[0](no)\n{% endhighlight %}\n[a](ok) {{ x }} [b](ok2)\n",
    "brackets in code": "[a `]` b](ok) [c `[` d](ok2) ![e [f](ok3)](ok4) [![g](ok5)](ok6) [h [i](ok7)](no)",
}  # fmt: skip


@each_row("size", [0, 1, 6])
@each_row("text", MARKDOWN.values(), ids=MARKDOWN)
def test_a_relative_reference_of_markdown_is_a_link_where_commonmark_has_one(text: str, size: int) -> None:
    found = [re.sub(r"(?<=\d)\W.*|(?<=ok)\W.*", "", each) for each in links(text, "markdown", size)]
    assert sorted(found) == sorted(set(re.findall(r"ok\d*", text)))


@each_row("text", MARKDOWN.values(), ids=MARKDOWN)
def test_whole_urls_are_found_in_code_too(text: str) -> None:
    whole = re.sub(r"\b(no|ok)(?=[\w.]*\))", r"http://h/\1", text)
    count = len(re.findall(r"\]\(http://h/", whole))
    assert len([each for each in links(whole, "markdown") if each.startswith("http://h/")]) == count


RST = {
    "a literal block": "x::\n\n   `a <no>`_\n\n   `b <no>`_\n\n`c <ok>`_\n",
    "a literal block of a list": "* x::\n\n      `a <no>`_\n\n  `b <ok>`_\n",
    "code": ".. code-block:: rst\n   :linenos:\n\n   `a <no>`_\n\n`b <ok>`_\n",
    "a comment": ".. x `a <no>`_\n   `b <no>`_\n\n   `c <no>`_\n\n`d <ok>`_\n",
    "an empty comment": "..\n   `b <no>`_\n\n`d <ok>`_\n",
    "no comments": ".. note:: `a <ok>`_\n\n   `b <ok2>`_\n\n.. [1] `c <ok3>`_\n\n.. _x: ok4\n",
    "inline literals": "``a `b <no>`_ c`` `d <ok>`_",
    "names of targets": "`a <no_>`_ `b <ok>`_\n\n.. image:: ok2\n   :target: no_\n\n.. image:: ok3\n   :target: ok4\n",
    "html": '.. raw:: html\n\n   <a href="ok"><img src="ok2">\n',
}  # fmt: skip


@each_row("size", [0, 1, 6])
@each_row("text", RST.values(), ids=RST)
def test_a_relative_target_of_restructuredtext_is_one_where_docutils_has_one(text: str, size: int) -> None:
    assert sorted(links(text, "rst", size)) == sorted(set(re.findall(r"ok\d*", text)))


def test_a_long_target_goes_on_in_the_next_lines() -> None:
    text = ".. _x: http://h/a/very/\n   long/\n   path.html\n\n.. _y: http://h/b\n.. _z: c/\n   d\n"
    for size in (0, 1, 5):
        assert links(text, "rst", size) == ["http://h/a/very/long/path.html", "http://h/b", "c/d"]


def test_spans_move_with_the_buffer() -> None:
    verbatim = MarkdownVerbatim()
    data = b"`a` b\n\n```\ncode\n```\n"
    verbatim.read(data, len(data))
    assert [verbatim.covers(place) for place in (0, 2, 3, 7, 13, len(data))] == [True, True, False, True, True, False]
    verbatim.move(7)
    assert [verbatim.covers(place) for place in (0, 6)] == [True, True]
    rst = RstVerbatim()
    rst.read(b"x::\n\n  a\n", 10)
    assert [rst.covers(place) for place in (0, 5, 8)] == [False, True, True]
