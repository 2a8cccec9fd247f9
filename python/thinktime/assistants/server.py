"""The server: the tools and the skill of Thinktime over standard input and output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from thinktime import InputError, __version__
from thinktime.assistants import confinement, quoting
from thinktime.assistants.search import SKILL
from thinktime.assistants.tools import Tool, tools
from thinktime.assistants.work import ToolError, WorkQueue
from thinktime.operations import target_allowlist

INSTRUCTIONS = (
    "Thinktime runs and simulates load tests, and says how far their figures can be trusted. Begin "
    "with the prompt `plan-a-load-test`, or the tool `docs`. Read each answer from its top: the "
    "verdict, the doubts, then the figures with their intervals. Report the doubts with the "
    "figures. "
) + quoting.ABOUT

PROMPT = "plan-a-load-test"

_ANSWER: dict[str, Any] = {
    "type": "object",
    "required": ["verdict", "doubts", "findings", "figures", "tables", "files", "about"],
    "properties": {
        "verdict": {
            "type": "object",
            "required": ["status", "sentence"],
            "properties": {"status": {"type": "string"}, "sentence": {"type": "string"}},
        },
        "doubts": {"type": "array", "items": {"type": "string"}},
        "findings": {"type": "array", "items": {"type": "string"}},
        "figures": {"type": "object", "description": "Names that end in _s are seconds."},
        "tables": {"type": "array", "items": {"type": "object"}},
        "files": {"type": "object", "additionalProperties": {"type": "string"}},
        "about": {"type": "string"},
    },
}
"""The schema of answers."""


def serve(allow: Sequence[str] = (), directory: str | Path = ".") -> None:
    """Serve an assistant over standard input and output, until it ends its input.

    Args:
        allow: A target that load may be sent to, as in http://127.0.0.1:8080; none by default.
        directory: The folder below which files are read and written. It is the working directory
            by default.

    Raises:
        InputError: A target is no url, the folder is not there, or the kernel cannot keep work
            within it.
    """
    for one in allow:
        target_allowlist.origin(one)
    place = Path(directory).resolve()
    if not place.is_dir():
        raise InputError(f"directory: there is no folder {place}")
    if not confinement.possible():
        raise InputError(confinement.MISSING)
    anyio.run(_serve, WorkQueue(place, tuple(allow)))


async def _serve(works: WorkQueue) -> None:
    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools().get(params.name)
        try:
            if tool is None:
                raise ToolError(f"there is no tool `{params.name}`: there are {', '.join(tools())}")
            found = await works.done(tool, params.arguments or {}, context.session.report_progress)
        except ToolError as error:
            said = quoting.text(str(error))
            return types.CallToolResult(content=[types.TextContent(text=said)], is_error=True)
        return types.CallToolResult(
            content=[types.TextContent(text=json.dumps(found)), *_links(found["files"])],
            structured_content=found,
        )

    server = Server(
        "thinktime",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _list_tools(
    _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_described(one) for one in tools().values()])


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=_ANSWER,
        annotations=types.ToolAnnotations(
            read_only_hint=not (tool.writes or tool.sends),
            destructive_hint=tool.writes,
            open_world_hint=tool.sends,
        ),
    )


def _links(files: dict[str, str]) -> list[types.ResourceLink]:
    """Links to the files of an answer."""
    return [types.ResourceLink(name=name, uri=Path(path).as_uri()) for name, path in files.items()]


async def _list_prompts(
    _: ServerRequestContext[Any, Any], __: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    about = "How to plan a load test: open or closed, how long, objectives, and doubts."
    return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description=about)])


async def _get_prompt(
    _: ServerRequestContext[Any, Any], params: types.GetPromptRequestParams
) -> types.GetPromptResult:
    if params.name != PROMPT:
        raise ValueError(f"there is no prompt `{params.name}`: there is `{PROMPT}`")
    text = SKILL.read_text("utf-8").partition("---\n")[2].partition("---\n")[2]
    content = types.TextContent(text=text.strip())
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])
