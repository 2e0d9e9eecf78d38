"""``anyurl completions``: the script with which a shell completes command lines."""

from __future__ import annotations

from anyurl.cli import exits
from anyurl.cli.arguments import Parameter, UsageError, as_command
from anyurl.cli.terminal.console import Console

SHELLS = ("bash", "zsh", "fish")


def _to_shell(_console: Console, value: str) -> str:
    if value not in SHELLS:
        raise UsageError(f"There are no completions for {value!r}; there are for {', '.join(SHELLS)}.")
    return value


@as_command("completions")
@Parameter("shell", metavar="SHELL", required=True, convert=_to_shell)
def command(console: Console, shell: str) -> int:
    """Print the completions for a shell.

    They complete commands, options, files, schemes and hosts. Hosts come from the URLs in the file that the setting
    complete-from names, such as a shell's history; without it nothing is read.

    SHELL is bash, zsh or fish. In ~/.bashrc: eval "$(anyurl completions bash)". In ~/.zshrc, after compinit: eval
    "$(anyurl completions zsh)". For fish: anyurl completions fish > ~/.config/fish/completions/anyurl.fish.
    """
    from anyurl.cli.app import completion_source

    console.lines(completion_source(shell).strip("\n").split("\n"))
    return exits.OK
