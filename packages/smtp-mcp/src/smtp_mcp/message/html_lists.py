"""Which elements and attributes an HTML part may have."""

from __future__ import annotations

# fmt: off
TAGS = {
    "a", "abbr", "address", "article", "aside", "b", "bdi", "blockquote", "br", "caption",
    "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt",
    "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "s",
    "samp", "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table",
    "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
}
WITH_CONTENT = {
    "applet", "audio", "button", "canvas", "embed", "form", "frameset", "iframe", "math", "meter",
    "noembed", "noframes", "noscript", "object", "progress", "script", "select", "style", "svg",
    "template", "textarea", "title", "video", "xmp",
}
"""Elements that go with all that is in them."""

VOID = {
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
}
BLOCK_ALIASES = {
    "dialog", "dir", "fieldset", "hgroup", "legend", "listing", "menu", "optgroup", "option",
    "search",
}
PLAIN_ALIAS = "span"
"""What stands for an element that may not stay, where its style may."""

ATTRIBUTES = {
    "*": {"align", "bgcolor", "class", "dir", "height", "id", "lang", "style", "title", "valign",
          "width"},
    "a": {"href", "name"},
    "blockquote": {"cite"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "font": {"color", "face", "size"},
    "img": {"alt", "border", "src"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "table": {"border", "cellpadding", "cellspacing"},
    "td": {"colspan", "rowspan", "nowrap"},
    "th": {"colspan", "rowspan", "nowrap", "scope"},
}
SCHEMES = {"http", "https", "mailto", "tel", "cid"}

_TOLD_TAGS = {
    "#comment", "#unclosed", "area", "base", "bdo", "bgsound", "frame", "input", "keygen", "link",
    "param", "source", "track", *WITH_CONTENT,
} - {"title"}
_TOLD_ATTRIBUTES = {
    "action", "background", "cite", "code", "codebase", "data", "dynsrc", "formaction", "href",
    "longdesc", "lowsrc", "manifest", "ping", "poster", "profile", "src", "srcdoc", "srcset",
    "usemap", "xlink:href",
}
# fmt: on


def permitted(tag: str, attribute: str) -> bool:
    """Tell whether an element may stay, and with an attribute."""
    if tag not in TAGS:
        return False
    return not attribute or attribute in ATTRIBUTES["*"] or attribute in ATTRIBUTES.get(tag, ())


def told(tag: str, attribute: str) -> bool:
    """Tell whether the loss of an element or an attribute is worth a word.

    What loads, runs, or goes with its content is; a document's frame and unknown marks are not.
    """
    if not attribute:
        return tag in _TOLD_TAGS
    if tag in _TOLD_TAGS:
        return False
    return attribute.startswith(("on", "style ")) or attribute in _TOLD_ATTRIBUTES
