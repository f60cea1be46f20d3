"""The reading of an HTML part, judged by a renderer: the words on its pages are the words read.

WEASYPRINT names the program; `pdftotext` must be there as well.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from smtp_mcp.message.html_sanitizer import Cleaned, clean_html
from tests.live import services
from tests.smtp.test_hidden_text import DROPPED, HIDING, SPELLINGS, STAYING

WEASYPRINT = services.WEASYPRINT.path() or ""

pytestmark = [pytest.mark.live("weasyprint"), pytest.mark.requirement("R-37")]

_LARGE = "@page { size: 4200px 2000px; margin: 300px } img { display: none }"

WHOLE = {
    "contract": '<table width="100%" style="' + "x" * 200 + '"></table><div style="display:none">'
    "the figures are as agreed</div><p>We cancel the contract.</p>",
    "visibility": '<p style="visibility:hidden">inner remark '
    '<b style="visibility:visible">Total 40 EUR</b></p>',
    "list": '<p style="text-indent:-18pt;margin-left:36pt">1. first</p>',
    "button": '<a href="https://x.test/" style="background:#007bff;color:#fff">Confirm</a>',
    "hebrew": '<!DOCTYPE html><html dir="rtl" lang="he"><head><meta charset="utf-8">'
    '<title>t</title></head><body style="color:#222"><p>one</p></body></html>',
    "cell": '<table><tr><td style="background:url(https://x.test/b.png) #111">'
    '<font color="#fff">Hi</font></td></tr></table>',
    "faint": '<p>seen</p><p style="color:#fefefe">faint</p>',
    "small": "<p>seen</p>" + "<small>" * 7 + "tiny" + "</small>" * 7,
    "case": '<p style="text-transform:uppercase">loud</p>',
    "inline": '<p style="display:inline">a</p><p style="display:inline">b</p>',
    "block": '<span style="display:block">a</span><span>b</span>',
    "table": "<table><tr><td>A<td style='padding: 0 40px'><p>B</p>"
    "<tr><td>1<td style='padding: 0 40px'>2</table>",
    "unknown": '<x-box style="display:none">gone</x-box><marquee>stays</marquee>',
    "preformatted": "<pre>a  b\n  c</pre>",
    "details": "<details><summary>s</summary>inside</details>",
    "bdo": '<bdo dir="rtl">abc</bdo>',
}
SINGLE = {
    f"{style} {spelling}": f'<p>seen</p><div style="{spell(style)}">perhaps <b>words</b></div>'
    for style in [*[style for style, _ in HIDING], *STAYING, *DROPPED]
    for spelling, spell in SPELLINGS.items()
    if spelling == "plain"
}


def words_on_pages(html: str, folder: Path) -> Counter[str]:
    """Render markup and read the words off the pages."""
    page, sheet, pdf = folder / "page.html", folder / "page.css", folder / "page.pdf"
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8>{html}", encoding="utf-8")
    sheet.write_text(_LARGE, encoding="utf-8")
    command = [WEASYPRINT, "-q", "-s", str(sheet), str(page), str(pdf)]
    subprocess.run(command, check=True, timeout=60, stderr=subprocess.DEVNULL)
    done = subprocess.run(["pdftotext", str(pdf), "-"], check=True, capture_output=True, timeout=60)
    return Counter(re.findall(r"\w+", done.stdout.decode("utf-8")))


def words_read(cleaned: Cleaned) -> Counter[str]:
    """The words of the reading, and of what is hardly visible but drawn."""
    faint = " ".join(concealed.text for concealed in cleaned.concealed if concealed.sent)
    return Counter(re.findall(r"\w+", f"{cleaned.words} {faint}"))


@pytest.mark.parametrize("html", WHOLE.values(), ids=WHOLE)
def test_a_whole_part_is_read_as_it_is_drawn(html: str, tmp_path: Path) -> None:
    cleaned = clean_html(html)
    assert words_on_pages(cleaned.html, tmp_path) == words_read(cleaned)


@pytest.mark.parametrize("html", SINGLE.values(), ids=SINGLE)
def test_each_style_is_read_as_it_is_drawn(html: str, tmp_path: Path) -> None:
    cleaned = clean_html(html)
    assert words_on_pages(cleaned.html, tmp_path) == words_read(cleaned)
