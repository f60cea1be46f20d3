"""The parts of a pipeline."""

from __future__ import annotations

from mcp_serverkit.http.json_fields import Document, objects_of


def steps_of(pipeline: Document) -> list[Document]:
    """List the steps of all workflows."""
    return [
        step
        for workflow in objects_of(pipeline, "workflows")
        for step in objects_of(workflow, "children")
    ]
