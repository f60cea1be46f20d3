"""The typed settings object that a server works with.

It is fed the values that the table's parsers returned, never the environment: the
secrets are no longer there, and there is one set of rules.
"""

from __future__ import annotations

from typing import Self

from pydantic import SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from mcp_serverkit.config.settings import Values


class ServerSettings(BaseSettings):
    """Settings that every server has."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    read_only: bool
    allow_tools: tuple[str, ...]
    deny_tools: tuple[str, ...]
    insecure_tls: bool
    ca_file: str | None
    timeout: int
    log_level: str
    elicitation: bool
    extras: bool = False

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 (pydantic's signature)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take the given values and nothing else."""
        return (init_settings,)

    @classmethod
    def from_values(cls, values: Values) -> Self:
        """Build from parsed values, but for those on approvals: they are the approver's."""
        own = {field: value for field, value in values.items() if not field.startswith("approval_")}
        return cls.model_validate(own)


def secret(value: SecretStr | None) -> str | None:
    """Unwrap a secret at the place of its use."""
    return None if value is None else value.get_secret_value()
