"""What clients ask about prompts, answered by way of the SDK."""

from __future__ import annotations

from collections.abc import Sequence

import mcp_types as types
from mcp import MCPError

from mcp_serverkit.lists import Context, require_first_page
from mcp_serverkit.prompts import Prompt, PromptArgumentError
from mcp_serverkit.text.describe import name_or_not


class PromptRequests:
    """Answers for the prompts on offer.

    Args:
        prompts: Those on offer, in listing order.
    """

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self._prompts = {prompt.name: prompt for prompt in prompts}

    async def list(
        self, _context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Answer `prompts/list`; the list is the same for everybody and fits one page."""
        require_first_page(params)
        return types.ListPromptsResult(prompts=[_listing(each) for each in self._prompts.values()])

    async def get(
        self, _context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Answer `prompts/get`."""
        prompt = self._prompts.get(params.name)
        if prompt is None:
            shown = name_or_not(params.name, "a prompt name")
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {shown}")
        try:
            text = prompt.filled(params.arguments or {})
        except PromptArgumentError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(
            description=prompt.description,
            messages=[types.PromptMessage(role="user", content=content)],
        )


def _listing(prompt: Prompt) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(
                name=argument.name,
                title=argument.title,
                description=argument.description,
                required=False,
            )
            for argument in prompt.arguments
        ],
    )
