"""The typed settings: fed the parsed values, never the environment."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from mcp_serverkit.config.typed_settings import ServerSettings, secret
from tests.serverkit.kit import reading


class KitSettings(ServerSettings):
    """The kit's settings."""

    url: str | None
    name: str
    token: SecretStr | None
    password: SecretStr | None


def test_parsed_values_become_a_typed_object_whose_secrets_stay_hidden() -> None:
    settings = KitSettings.from_values(reading({"KIT_TOKEN": "tk_secret"}).values)
    assert secret(settings.token) == "tk_secret"
    assert secret(settings.password) is None
    assert "tk_secret" not in repr(settings)
    assert "tk_secret" not in str(settings.model_dump())


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    values = reading({"KIT_TIMEOUT": "7"}).values
    for name in ("TIMEOUT", "timeout", "KIT_TIMEOUT"):
        monkeypatch.setenv(name, "99")
    assert KitSettings.from_values(values).timeout == 7


def test_settings_cannot_be_changed_and_errors_do_not_quote_a_value() -> None:
    settings = KitSettings.from_values(reading({}).values)
    with pytest.raises(ValidationError):
        setattr(settings, "timeout", 1)  # noqa: B010 (a frozen model is what is tried)
    values = {**reading({}).values, "timeout": "tk_secret"}
    with pytest.raises(ValidationError) as caught:
        KitSettings.from_values(values)
    assert "tk_secret" not in str(caught.value)
    with pytest.raises(ValidationError):
        KitSettings.from_values({**reading({}).values, "unknown": 1})
