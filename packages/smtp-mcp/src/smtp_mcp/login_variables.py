"""The variables of the login."""

from __future__ import annotations

from mcp_serverkit.config import parsers
from mcp_serverkit.config.settings import Variable
from smtp_mcp import setting_parsers

AUTH_WORDS = ("auto", "plain", "login", "cram-md5", "xoauth2", "oauthbearer", "none")

LOGIN_VARIABLES: tuple[Variable, ...] = (
    Variable(
        "SMTP_USER",
        "user",
        "secret",
        "none",
        "Login name.",
        parsers.password,
        title="Login name",
        secret="password",  # noqa: S106 (a kind)
        listed=True,
    ),
    Variable(
        "SMTP_PASSWORD",
        "password",
        "secret",
        "none",
        "Password, often an app password.",
        parsers.password,
        title="Password",
        secret="password",  # noqa: S106 (a kind)
        listed=True,
    ),
    Variable(
        "SMTP_AUTH",
        "auth",
        ", ".join(AUTH_WORDS),
        "auto",
        "How to log in; one attempt with one mechanism. `none` is for a local relay.",
        setting_parsers.exact(*AUTH_WORDS),
        "auto",
        title="How to log in",
    ),
    Variable(
        "SMTP_OAUTH_CLIENT_ID",
        "oauth_client_id",
        "text",
        "none",
        "Client of the OAuth token service.",
        setting_parsers.one_line,
        title="OAuth: client",
    ),
    Variable(
        "SMTP_OAUTH_CLIENT_SECRET",
        "oauth_client_secret",
        "secret",
        "none",
        "Its secret, where the service wants one.",
        parsers.password,
        title="OAuth: secret of the client",
        secret="password",  # noqa: S106 (a kind)
    ),
    Variable(
        "SMTP_OAUTH_REFRESH_TOKEN",
        "oauth_refresh_token",
        "secret",
        "none",
        "Refresh token; access tokens are fetched with it.",
        parsers.password,
        title="OAuth: refresh token",
        secret="token",  # noqa: S106 (a kind)
    ),
    Variable(
        "SMTP_OAUTH_TOKEN_URL",
        "oauth_token_url",
        "https URL",
        "none",
        "Address of the OAuth token service.",
        setting_parsers.token_url,
        title="OAuth: token service",
    ),
    Variable(
        "SMTP_OAUTH_SCOPE",
        "oauth_scope",
        "text",
        "none",
        "Scope to ask for.",
        setting_parsers.one_line,
        title="OAuth: scope",
    ),
    Variable(
        "SMTP_OAUTH_TOKEN_FILE",
        "oauth_token_file",
        "path",
        "none",
        "File with an access token that another program keeps fresh; read anew for each login.",
        setting_parsers.one_line,
        title="OAuth: file with an access token",
    ),
)
