"""The table of a server's settings, and reading it from the environment.

The table is the one source of help text, README, manifests and checks. It is plain
standard library, because it is read before the first answer and before anything heavy
is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import TypeAlias

from mcp_approval.environment import approval, parsers
from mcp_approval.environment.reading import Reading, Values
from mcp_approval.environment.suggest import nearest
from mcp_approval.environment.variable import Variable
from mcp_approval.switch import VARIABLE as ELICITATION
from mcp_approval.switch import parse_elicitation

CrossCheck: TypeAlias = Callable[[Values, Reading], None]


_PREFIXED: tuple[Variable, ...] = (
    Variable(
        "READ_ONLY",
        "read_only",
        "switch",
        "off",
        "Offer only the tools that change nothing.",
        parsers.protecting_switch,
        False,
        title="Read only",
        fence=True,
        example="false",
        listed=True,
    ),
    Variable(
        "ALLOW_TOOLS",
        "allow_tools",
        "comma list",
        "all",
        "Offer only these tools: names, prefixes with a trailing `*`, or `essential`.",
        parsers.comma_list,
        (),
        title="Tools to offer",
        fence=True,
        example="*",
        listed=True,
    ),
    Variable(
        "DENY_TOOLS",
        "deny_tools",
        "comma list",
        "none",
        "Leave these tools out: names, or prefixes with a trailing `*`.",
        parsers.comma_list,
        (),
        title="Tools to leave out",
        fence=True,
    ),
    Variable(
        "INSECURE_TLS",
        "insecure_tls",
        "`true`",
        "off",
        "Do not check certificates. On for exactly `true`.",
        parsers.permitting_switch,
        False,
        title="Do not check certificates",
    ),
    Variable(
        "CA_FILE",
        "ca_file",
        "path",
        "none",
        "PEM file with further certificate authorities to trust.",
        parsers.readable_file,
        title="Further certificate authorities",
    ),
    Variable(
        "TIMEOUT",
        "timeout",
        "seconds, 1-600",
        "15",
        "Time limit of one request.",
        parsers.integer(1, 600),
        15,
        title="Time limit of a request, in seconds",
    ),
    Variable(
        "LOG_LEVEL",
        "log_level",
        "debug, info, warning, error",
        "info",
        "Least severe log line on stderr. Start lines and decisions are always printed.",
        parsers.choice("debug", "info", "warning", "error"),
        "info",
        title="Least severe log line",
    ),
)

_BARE = Variable(
    ELICITATION,
    "elicitation",
    "true, false",
    "true",
    "Ask by dialog where the client can show one. `false` means the two-call token. "
    "Unprefixed: it reaches every server of the environment.",
    lambda value, _warnings: parse_elicitation(value),
    True,
    title="Ask by dialog",
)


def common_variables(prefix: str) -> tuple[Variable, ...]:
    """Return the variables that every server has under its own prefix, and those without one."""
    named = (variable._replace(name=f"{prefix}_{variable.name}") for variable in _PREFIXED)
    return (*named, _BARE, *approval.VARIABLES)


def unprefixed_variables() -> tuple[Variable, ...]:
    """Return what a server has that knows no variables but those on approvals."""
    return (_BARE, *approval.VARIABLES)


def extras_variable(prefix: str, names: Sequence[str]) -> Variable:
    """Return the switch of a server that has tools which are off by default.

    Args:
        prefix: Prefix of the server's variables.
        names: The names of those tools.
    """
    listed = ", ".join(f"`{name}`" for name in names)
    return Variable(
        f"{prefix}_EXTRAS",
        "extras",
        "`true`",
        "off",
        f"Also offer {listed}. On for exactly `true`.",
        parsers.permitting_switch,
        False,
        title="Further tools",
    )


def read_settings(
    table: Sequence[Variable], prefix: str, environ: MutableMapping[str, str]
) -> Reading:
    """Read all variables once, taking the secrets out of the environment first."""
    raw = {name: environ.get(name, "") for variable in table for name in _names(variable)}
    for variable in table:
        if variable.secret:
            environ.pop(variable.name, None)
    reading = Reading()
    for variable in table:
        reading.values[variable.field] = _value(variable, raw, reading)
        if not any(raw[name].strip() for name in _names(variable)):
            reading.warnings += [
                f"{name} is set and not read; this server reads {variable.name}"
                for name in variable.elsewhere
                if environ.get(name, "").strip()
            ]
    if reading.values.get("insecure_tls") and reading.values.get("ca_file"):
        reading.problem(f"{prefix}_CA_FILE", f"has no use together with {prefix}_INSECURE_TLS")
    if all(variable in table for variable in approval.VARIABLES):
        approval.cross_check(reading.values, reading)
    for stem in dict.fromkeys((prefix, approval.PREFIX)):
        _look_for_near_misses(table, stem, environ, reading)
    return reading


def _names(variable: Variable) -> tuple[str, ...]:
    return (variable.name, f"{variable.name}_FILE") if variable.secret else (variable.name,)


def _value(variable: Variable, raw: dict[str, str], reading: Reading) -> object:
    warnings: list[str] = []
    source = _source(variable, raw)
    try:
        given = _given(variable, raw, warnings)
        if given is None:
            return variable.fallback
        _refuse_placeholder(variable, given, warnings)
        return variable.parse(given, warnings)
    except ValueError as error:
        reading.problem(source, str(error))
        return variable.fallback
    finally:
        for warning in warnings:
            reading.warn(source, warning)


def _source(variable: Variable, raw: dict[str, str]) -> str:
    """Name the variable that was set: what is wrong with a file is told of the one naming it."""
    file = f"{variable.name}_FILE"
    return file if raw.get(file, "").strip() and not raw[variable.name] else variable.name


def _given(variable: Variable, raw: dict[str, str], warnings: list[str]) -> str | None:
    value = raw[variable.name]
    if not variable.secret:
        kept = value.strip(" \t") if variable.one_line and value.strip() else value.strip()
        return kept or None
    path = raw[f"{variable.name}_FILE"].strip()
    if value and path:
        raise ValueError(f"set either this or {variable.name}_FILE, not both")
    if path:
        _refuse_unfilled(path)
        value = parsers.read_secret_file(path, warnings)
    if value and not value.strip():
        raise ValueError("holds nothing but white space")
    value = value.rstrip("\r\n") if variable.secret == "password" else value.strip()  # noqa: S105
    return value or None


def _refuse_placeholder(variable: Variable, value: str, warnings: list[str]) -> None:
    if variable.name == ELICITATION:
        return  # its own parser names the two words that it takes
    _refuse_unfilled(value)
    if parsers.is_shell_name(value):
        if variable.secret == "token" or variable.parse is parsers.http_url:  # noqa: S105
            raise ValueError(parsers.NOT_FILLED_IN)
        warnings.append(parsers.NOT_FILLED_IN)


def _refuse_unfilled(value: str) -> None:
    if parsers.is_unfilled(value):
        raise ValueError(parsers.UNFILLED)


def _look_for_near_misses(
    table: Sequence[Variable], prefix: str, environ: MutableMapping[str, str], reading: Reading
) -> None:
    known = [name for variable in table for name in _names(variable)]
    open_fences = [v.name for v in table if v.fence and not environ.get(v.name, "").strip()]
    for name in sorted(environ):
        if not name.upper().startswith(f"{prefix}_") or name in known:
            continue
        fence = nearest(name.upper(), open_fences) if environ[name].strip() else None
        if fence is not None:
            reading.problem(
                name,
                f"is no variable of this server; did you mean {fence}? {_why(prefix)}, so it does "
                "not start without it.",
            )
        elif (near := nearest(name.upper(), known)) is not None:
            reading.warn(name, f"is no variable of this server; did you mean {near}?")


def _why(prefix: str) -> str:
    if prefix == approval.PREFIX:
        return "That one decides who is asked, or what is recorded"
    return "That one limits what this server may do"
