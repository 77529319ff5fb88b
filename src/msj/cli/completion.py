"""``msj completion bash|zsh|fish``."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that teaches SHELL to complete commands, options, files and policies on the Tab key.

    \b
    Examples:
      eval "$(msj completion bash)"                                   in this shell; into ~/.bashrc for all
      eval "$(msj completion zsh)"                                    the same for zsh, in ~/.zshrc
      msj completion fish > ~/.config/fish/completions/msj.fish       fish reads it from there
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    program = context.find_root().command
    click.echo(kind(program, {}, "msj", "_MSJ_COMPLETE").source())
