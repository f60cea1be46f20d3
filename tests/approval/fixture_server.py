"""A small server with guarded tools of every kind, and an upstream that keeps a record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from typing_extensions import TypedDict

from mcp_approval.keys import Target
from mcp_approval.question import Detail, Question, checked
from mcp_approval.typing import JSONValue
from mcp_approval.verdict import Ask, Reservation
from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Values, Variable, common_variables
from mcp_serverkit.definition import Definition
from mcp_serverkit.errors import ToolFailure
from mcp_serverkit.tools.registry import Call, Registry

TOOLS = Registry(source="shop")

NAME = r"[a-z0-9-]{1,40}"
HOURLY = 3


class Done(TypedDict):
    """What was done."""

    done: str


@dataclass
class Slot:
    """One place of the limiter."""

    limiter: Limiter

    def commit(self) -> None:
        self.limiter.reserved -= 1
        self.limiter.used += 1

    def release(self) -> None:
        self.limiter.reserved -= 1


@dataclass
class Limiter:
    """Counts what was asked in an hour, as a server that sends things does."""

    used: int = 0
    reserved: int = 0

    async def reserve(self) -> Reservation:
        if self.used + self.reserved >= HOURLY:
            raise ToolFailure("The hour is full. Nothing was sent.", code="rate_limited")
        self.reserved += 1
        return Slot(self)


@dataclass
class Shop:
    """The upstream: what it holds, and every act that reached it.

    Attributes:
        acts: Name and arguments of each act.
        stock: What it holds, read as a fact before some questions.
        reads: Called before each reading of the stock.
        broken: Whether the next act fails.
        held: If set, an act waits for it.
    """

    acts: list[tuple[str, JSONValue]] = field(default_factory=list)
    stock: dict[str, int] = field(default_factory=lambda: {"apples": 12})
    limiter: Limiter = field(default_factory=Limiter)
    reads: Callable[[], None] = lambda: None
    broken: bool = False
    held: asyncio.Event | None = None

    async def act(self, name: str, value: JSONValue) -> Done:
        if self.held is not None:
            await self.held.wait()
        if self.broken:
            self.broken = False
            raise ToolFailure("The shop failed.")
        self.acts.append((name, value))
        return {"done": name}

    def count(self, name: str) -> int | None:
        self.reads()
        return self.stock.get(name)

    async def aclose(self) -> None:
        """Nothing is open."""

    async def check(self) -> list[str]:
        return ["the shop is open"]


def build(_values: Values, _offered: Sequence[str]) -> Shop:
    """Build the app, where a test brings none."""
    return Shop()


@TOOLS.read("List what is there")
async def list_items(call: Call[Shop]) -> Done:
    """List the names of all items."""
    return {"done": ", ".join(sorted(call.app.stock))}


@TOOLS.write("Delete items", destructive=True, idempotent=True, asks="always")
async def delete_items(call: Call[Shop], names: Annotated[list[str], "Names"]) -> Done:
    """Delete items: a set, in whatever order."""
    await call.confirm(
        Ask(
            Question(
                what=f"delete {len(names)} items",
                consequence="They cannot be brought back.",
                details=tuple(Detail("Item", name) for name in names),
            ),
            Target.members("delete_items", names),
        )
    )
    return await call.app.act("delete_items", names)


@TOOLS.write("Approve a run", destructive=True, idempotent=True, asks="always")
async def approve_run(
    call: Call[Shop],
    repo_id: Annotated[int, "Repository"],
    number: Annotated[int, "Number"],
) -> Done:
    """Let a held run go on: positions, and nothing but numbers in the question."""
    await call.confirm(
        Ask(
            Question(
                what=f"let run {number} of repository {repo_id} go on",
                consequence="It runs with the secrets of the repository.",
            ),
            Target.ordered("approve_run", ("repository", repo_id), ("number", number)),
        )
    )
    return await call.app.act("approve_run", [repo_id, number])


@TOOLS.write("Release a run", destructive=True, idempotent=True, asks="always")
async def release_run(
    call: Call[Shop],
    repo_id: Annotated[int, "Repository"],
    number: Annotated[int, "Number"],
) -> Done:
    """The same arguments as `approve_run`, another tool."""
    await call.confirm(
        Ask(
            Question(what=f"release run {number} of {repo_id}", consequence="It starts at once."),
            Target.ordered("release_run", ("repository", repo_id), ("number", number)),
        )
    )
    return await call.app.act("release_run", [repo_id, number])


@TOOLS.write("Change an item", destructive=True, idempotent=True, asks="always")
async def update_item(
    call: Call[Shop],
    name: Annotated[str, "Name"],
    colour: Annotated[str | None, "Colour"] = None,
    public: Annotated[bool | None, "Show it to everybody"] = None,
) -> Done:
    """Change an item: the body decides more than its name."""
    given: dict[str, JSONValue] = {"colour": colour, "public": public}
    body: JSONValue = {key: value for key, value in given.items() if value is not None}
    details = [Detail(key.title(), str(value)) for key, value in given.items() if value is not None]
    await call.confirm(
        Ask(
            Question(
                what=f'change item "{checked(name, NAME)}"',
                consequence="The present values are lost.",
                details=tuple(details),
            ),
            Target.ordered("update_item", ("name", name), body=body),
        )
    )
    return await call.app.act("update_item", [name, body])


@TOOLS.write("Clear the stock", destructive=True, idempotent=True, asks="always")
async def clear_stock(call: Call[Shop], name: Annotated[str, "Name"]) -> Done:
    """Throw away all pieces of an item: the question quotes how many."""
    shop = call.app

    async def ask() -> Ask:
        count = shop.count(name)
        return Ask(
            Question(
                what=f"throw away {'an unknown number of' if count is None else count} pieces "
                f'of "{checked(name, NAME)}"',
                consequence="They cannot be brought back.",
            ),
            Target.ordered("clear_stock", ("name", name), facts={"count": count}),
        )

    approved = await call.confirm(ask)
    return await shop.act("clear_stock", [name, approved.ask.target.facts["count"]])


@TOOLS.write("Create a login", destructive=False, idempotent=True, asks="always")
async def create_login(
    call: Call[Shop],
    name: Annotated[str, "Name"],
    password: Annotated[str, "Password"],
) -> Done:
    """Create a login: its password is neither shown nor bound."""
    await call.confirm(
        Ask(
            Question(
                what=f'create the login "{checked(name, NAME)}"',
                consequence="Whoever holds the password can log in.",
                unbound=("password",),
            ),
            Target.ordered("create_login", ("name", name)),
        )
    )
    return await call.app.act("create_login", [name, password])


@TOOLS.write("Send a letter", destructive=False, idempotent=False, asks="always")
async def send(call: Call[Shop], to: Annotated[str, "Recipient"]) -> Done:
    """Send a letter, a few an hour."""
    await call.confirm(
        Ask(
            Question(
                what="send one letter",
                consequence="It cannot be recalled.",
                details=(Detail("To", to),),
            ),
            Target.ordered("send", ("to", to)),
        ),
        call.app.limiter.reserve,
    )
    return await call.app.act("send", to)


VARIABLES = (
    Variable(
        "SHOP_TOKEN",
        "token",
        "secret",
        "none",
        "Token of the shop.",
        parsers.bearer,
        secret="token",
    ),
    Variable(
        "SHOP_PASSWORD",
        "password",
        "secret",
        "none",
        "Password of the shop.",
        parsers.password,
        secret="password",
    ),
    *common_variables("SHOP"),
)

SHOP = Definition(
    name="shop-mcp",
    title="Shop",
    version="1.2.3",
    summary="Sell apples.",
    prefix="SHOP",
    variables=VARIABLES,
    registry=lambda: TOOLS,
    load_app="tests.approval.fixture_server:build",
    instructions=lambda _offered, how: "needs a second call" if how == "token" else "asks a person",
    instance=lambda _values: "shop.example.org",
)
