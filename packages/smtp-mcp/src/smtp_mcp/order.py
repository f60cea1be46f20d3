"""The tools in listing order, and the presets among them."""

ORDER = (
    "get_server_info",
    "validate_recipients",
    "preview_mail",
    "test_connection",
    "send_mail",
    "reply_mail",
    "forward_mail",
    "save_draft",
)

EXTRAS = ("save_draft",)
"""Off unless the operator switches it on."""

ESSENTIAL = (
    "get_server_info",
    "validate_recipients",
    "preview_mail",
    "send_mail",
    "reply_mail",
    "save_draft",
)
