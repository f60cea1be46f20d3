"""The tools in listing order, and the presets among them."""

ORDER = (
    "list_messages",
    "get_message",
    "check_topic_access",
    "get_server_info",
    "publish_message",
    "update_message",
    "mark_messages_read",
    "delete_messages",
    "get_account",
    "list_users",
    "create_user",
    "delete_user",
    "manage_user_access",
    "wait_for_message",
    "ask_person",
)

EXTRAS = ("wait_for_message", "ask_person")
"""Tools that are off by default."""

ESSENTIAL = (
    "get_server_info",
    "check_topic_access",
    "publish_message",
    "list_messages",
    "get_message",
    "update_message",
    "wait_for_message",
    "ask_person",
)
