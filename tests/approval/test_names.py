"""The package's own names, loaded when they are first used."""

from __future__ import annotations

import pytest

import mcp_approval


def test_every_public_name_can_be_imported_from_the_package() -> None:
    for name in mcp_approval.__all__:
        assert getattr(mcp_approval, name) is not None
    assert sorted(mcp_approval.__all__) == list(mcp_approval.__all__)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'approve_everything'"):
        _ = mcp_approval.approve_everything
