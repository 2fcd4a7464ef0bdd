"""Traces of I/O calls, as tables.

    import iota

    run = iota.run(["python3", "train.py"])
    table = iota.calls(run.trace, where="class=read", columns=["path", "start", "dur"])

`calls` returns a `pyarrow.Table`, which pandas, Polars and DuckDB take as it is. `info`, `stat` and `layers` return what
the commands of these names print with `--json`. A trace is named by a path, or several by a list.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence, Union

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Error", "IncompleteWarning", "Run", "calls", "command", "info", "layers", "run", "stat"]

StrPath = Union[str, "os.PathLike[str]"]
Paths = Union[StrPath, Sequence[StrPath]]
Words = Union[str, Sequence[str]]


class Error(RuntimeError):
    """What `iota` printed when it failed."""


class IncompleteWarning(UserWarning):
    """A trace was damaged: what could be read is in the result, and this says what is missing."""


class Run(NamedTuple):
    """What became of a program."""

    returncode: int
    """Its exit status; negative: the signal that ended it"""
    trace: Path
    """The trace, to be given to the other functions. There is none if nothing was traced."""


def command() -> str:
    """The path of the `iota` command: the one that was installed with this module, or else that on PATH."""
    beside = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # pip install --target DIR makes DIR/bin.
    beside.append(str(Path(__file__).parent.parent / "bin"))
    for directory in beside:
        path = os.path.join(directory, "iota")
        if os.access(path, os.X_OK):
            return path
    on_path = shutil.which("iota")
    if on_path is None:
        raise Error("no iota command, neither beside this module nor on PATH")
    return on_path


def calls(path: Paths, where: Words | None = None, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """The calls of a trace, a row each, by rank and then by the time when they ended.

    `where` selects calls, as `iota convert --where` does: "class=write,dur>1ms"; of several, a call must pass all.
    `columns` are the names of the columns that are wanted, in their order; without it there are all that Parquet has.
    Times are in nanoseconds since the job's start. A million calls with all columns take 200 MB.
    """
    try:
        import pyarrow.ipc
    except ImportError as error:
        raise ImportError("iota.calls needs pyarrow: pip install pyarrow") from error
    words = ["convert", *_paths(path), "--to", "arrow", "--output", "-", "--yes", *_where(where)]
    if columns is not None:
        if not columns:
            raise ValueError("columns: no name")
        words += ["--columns", ",".join([columns] if isinstance(columns, str) else columns)]
    # Messages go to a file, so that neither of us waits for the other.
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen([command(), *words], stdout=subprocess.PIPE, stderr=messages)
        try:
            with process, pyarrow.ipc.open_stream(process.stdout) as stream:
                table = stream.read_all()
        except pyarrow.ArrowInvalid:
            # It failed before the stream's end, and says why.
            table = None
        messages.seek(0)
        _judge(process.returncode, messages.read(), table is not None)
    return table


def info(path: Paths) -> dict[str, Any]:
    """Programs, hosts, times and counts of a trace, and what is missing: `iota info --json`."""
    return _json("info", path)


def stat(path: Paths, where: Words | None = None, by: Words | None = None) -> dict[str, Any]:
    """Where the time went: findings and tables of `iota stat --json`, with all rows.

    `by` says what the tables are by: "op", "file", "rank", ..., as in `iota stat --by`.
    """
    options = ["--top", "0", *_where(where)]
    if by is not None:
        options += ["--by", by if isinstance(by, str) else ",".join(by)]
    return _json("stat", path, options)


def layers(path: Paths, where: Words | None = None) -> dict[str, Any]:
    """Which calls of MPI-IO and libraries caused which below them: `iota layers --json`."""
    return _json("layers", path, _where(where))


def run(command_line: Words, output: StrPath | None = None, **options: Any) -> Run:
    """Runs a command under `iota run`, and waits for it.

    `command_line` is a list of words; a string is split as a shell would, and expands nothing. The trace is called
    `output`, which must not be there yet, or PROGRAM-PID-TIME.iota in the working directory. Other options are those of
    `subprocess.run`: cwd, env, stdout, timeout, check, ...
    """
    words = shlex.split(command_line) if isinstance(command_line, str) else [os.fspath(word) for word in command_line]
    if not words:
        raise ValueError("command_line: no word")
    if output is None:
        output = f"{os.path.basename(words[0])}-{os.getpid()}-{time.time_ns() // 1000}.iota"
    trace = Path(options.get("cwd") or ".", output).absolute()
    trace = trace if trace.suffix == ".iota" else trace.with_name(trace.name + ".iota")
    if trace.exists():
        raise FileExistsError(f"{trace}: is there already")
    # A pattern's letters, %p for one, stand for themselves here.
    pattern = str(trace).replace("%", "%%")
    done = subprocess.run([command(), "run", "--quiet", "--output", pattern, "--", *words], **options)
    return Run(done.returncode, trace)


def _paths(path: Paths) -> list[str]:
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise ValueError("path: no trace")
    # A name that begins with a dash is no option.
    names = [os.fspath(path) for path in paths]
    return [f"./{name}" if name.startswith("-") else name for name in names]


def _where(where: Words | None) -> list[str]:
    if where is None:
        return []
    all_of_them = [where] if isinstance(where, str) else where
    return [word for one in all_of_them for word in ("--where", one)]


def _json(name: str, path: Paths, options: Sequence[str] = ()) -> dict[str, Any]:
    done = subprocess.run([command(), name, *_paths(path), "--json", *options], capture_output=True)
    _judge(done.returncode, done.stderr, bool(done.stdout))
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _judge(status: int, messages: bytes, has_result: bool) -> None:
    text = messages.decode(errors="replace").strip()
    if not has_result:
        raise Error(text or f"iota ended with status {status}")
    if status != 0:
        warnings.warn(text, IncompleteWarning, stacklevel=4)


if sys.platform != "linux":
    raise ImportError("iota runs on Linux only")
