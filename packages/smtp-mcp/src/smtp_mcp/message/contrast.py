"""Whether text stands out from what it stands on."""

from __future__ import annotations

from smtp_mcp.message.inline_style import Colour

WHITE: Colour = (1.0, 1.0, 1.0, 1.0)
BLACK: Colour = (0.0, 0.0, 0.0, 1.0)

# Below it, by the formula of WCAG, letters melt into their ground for any reader.
LEAST_CONTRAST = 1.3
# A tenth of a colour is as good as none.
LEAST_ALPHA = 0.1


def over(top: Colour, below: Colour) -> Colour:
    """Lay one colour over an opaque one."""
    alpha = top[3]
    red, green, blue = (
        a * alpha + b * (1 - alpha) for a, b in zip(top[:3], below[:3], strict=True)
    )
    return red, green, blue, 1.0


def hardly_visible(colour: Colour, background: Colour) -> bool:
    """Tell whether a reader would miss text of this colour."""
    if colour[3] <= LEAST_ALPHA:
        return True
    light, dark = sorted((_luminance(over(colour, background)), _luminance(background)))[::-1]
    return (light + 0.05) / (dark + 0.05) < LEAST_CONTRAST


def _luminance(colour: Colour) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
