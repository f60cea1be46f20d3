"""What a client offers its user as a command."""

from mcp_serverkit.prompts import Prompt, PromptArgument

DRAFT_MAIL = Prompt(
    name="draft_mail",
    title="Draft a mail",
    description="Write a mail and show how it would look. Nothing is sent.",
    text=(
        "Draft a mail. Make up no facts, names or dates: where one is missing, ask me. Show the "
        "draft with preview_mail, with its recipients and its subject, and change it as I say. "
        "Send nothing until I tell you to."
    ),
    arguments=(
        PromptArgument("to", "Recipients", "Addresses, with commas between them"),
        PromptArgument("purpose", "Purpose", "What the mail is to bring about"),
    ),
    tools=("preview_mail",),
)

PROMPTS = (DRAFT_MAIL,)
