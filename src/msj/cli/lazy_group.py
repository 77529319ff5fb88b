"""A group that imports a command when it is run, so that ``msj --help`` and tab completion answer at once."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from msj.cli.messages import speaking
from msj.registry import nearest


class LazyGroup(click.Group):
    """Commands given as ``name: (place, what it does)``, where a place is ``module:attribute``."""

    def __init__(self, *arguments: Any, places: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.places = dict(places)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names in the order in which a newcomer needs them."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in self.places:
            return None
        module, _, attribute = self.places[cmd_name][0].partition(":")
        found: click.Command = getattr(importlib.import_module(module), attribute)
        return speaking(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name is answered with the nearest."""
        if args[0] not in self.places and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{args[0]}'; {nearest(args[0], self.places)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.places.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name without importing them all."""
        names = [name for name in self.places if name.startswith(incomplete)]
        options = [item for item in click.Command.shell_complete(self, ctx, incomplete) if item.value.startswith("-")]
        return [CompletionItem(name, help=self.places[name][1]) for name in names] + options
