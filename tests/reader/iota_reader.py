#!/usr/bin/env python3
"""Reads iota traces and prints their calls as `iota text -v` does, without the lines about the job.

    iota_reader.py [--without-details] TRACE...

With --without-details it reads as a reader that was made before there were details.

It was written from docs/design/format.md alone, and is an example for readers in other languages: blocks.py has what stands around
events, events.py the events and their details. Lustre layouts are not interpreted. It needs nothing but Python 3.9.
"""

import errno
import heapq
import signal
import sys

import blocks
import events

WORDS = [(4, "startup"), (16, "asynchronous"), (32, "under_library")]
COLUMNS = """task start elapse offset op ret path/fd lustre len thread errno layer id parent path path2/fd2 pid details"""
LAYERS = ("USER", "HDF5", "PNETCDF", "MPI-IO", "STDIO", "POSIX", "SERVER", "NETCDF")
OPEN, READ, WRITE = 1, 3, 4


HIDDEN = [(0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F)]
HIDDEN += [(code, code) for code in (0x061C, 0x180E, 0xFEFF)]


def escaped(text):
    """A path on one line: control characters, those that turn round or hide text, and what is not UTF-8 as \\xNN."""
    out, known = [], {0x09: "\\t", 0x0A: "\\n", 0x5C: "\\\\"}
    for char in text.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code in known:
            out.append(known[code])
        elif code < 0x20 or 0x7F <= code < 0xA0 or any(a <= code <= b for a, b in HIDDEN):
            out += (f"\\x{byte:02x}" for byte in char.encode())
        else:
            out.append(char)
    return "".join(out)


def path_of(path):
    return escaped(path) if path else "-"


def seconds(nanos):
    return f"{'-' if nanos < 0 else ''}{abs(nanos) // 10**9}.{abs(nanos) % 10**9:09}"


def error_name(number):
    # Where Linux has two names for a number, Python may know it by the other one.
    names = {**errno.errorcode, 11: "EAGAIN", 35: "EDEADLK", 95: "EOPNOTSUPP"}
    return names.get(number, str(number)) if number else "-"


def quoted(text, number):
    return f"#{number}" if text is None else '"' + escaped(text).replace('"', "\\x22") + '"'


def shown(unit, value, names):
    """A number of details by its unit."""
    none = {3: blocks.MASK64, 5: 0, 6: 0, 8: 0, 9: blocks.MASK64, 10: 0}
    if none.get(unit) == value:
        return "-"
    if unit in (1, 3):
        return str(events.signed(value))
    if unit in (4, 10):
        return hex(value)
    if unit == 5:
        return quoted(names.texts.get(value & 0xFFFFFFFF), value)
    if unit == 6:
        return quoted(names.files.get(value & 0xFFFFFFFF), value)
    return str(value)


def details_of(form, values, names):
    if form in names.forms:
        name, fields = names.forms[form]
        pairs = [f"{path_of(field)}={shown(unit, value, names)}" for (unit, field), value in zip(fields, values)]
        return f"{path_of(name)}{{{' '.join(pairs)}}}"
    told = max((at for at, value in enumerate(values, 1) if value), default=0)
    return f"{form}{{{' '.join(f'{at}={value}' for at, value in enumerate(values[:told], 1))}}}"


def line(part, event, details, thread, start, end):
    names = part.names
    function = names.functions.get(event.op, blocks.Function())
    path, second = names.files.get(event.file, b""), names.files.get(event.second[0], b"")
    shows_path = function.kind == OPEN or (event.fd == -1 and event.file != 0)
    other = "-"
    if event.flags & events.SECOND_HALF:
        other = path_of(second) if event.second[0] and event.second[1] == -1 else event.second[1]
    call = lambda number: f"{thread}.{number}" if number else "-"
    columns = [
        part.rank, seconds(start), seconds(end - start), event.offset, function.name.decode("utf-8", "replace") or "-",
        event.ret, path_of(path) if shows_path else event.fd, "-", event.length, thread, error_name(event.errno),
        LAYERS[function.layer] if function.layer < len(LAYERS) else "-", call(event.id), call(event.parent),
        "-" if shows_path else path_of(path), other, part.pid,
    ]  # fmt: skip
    words = [word for bit, word in WORDS if event.flags & bit]
    moves_items = LAYERS[function.layer : function.layer + 1] == ["STDIO"] and function.kind in (READ, WRITE)
    is_large = event.ret > 0 and event.length % event.ret == 0 and event.length // event.ret > 0xFFFF
    if event.whence or (moves_items and is_large):
        words.append(f"whence={event.whence}")
    if event.flags & events.SECOND_HALF:
        if second and event.second[1] != -1 and event.second[0] != event.file:
            words.append(f"path2={quoted(second, 0)}")
        if event.second[2] >= 0:
            words.append(f"off2={event.second[2]}")
    words += [details_of(form, values, names) for form, values in details]
    if words:
        columns.append(" ".join(words))
    return "\t".join(map(str, columns))


def of_thread(part, thread, knows_details):
    for block in part.events:
        if block.thread == thread:
            for event, details in events.events(block, knows_details):
                yield event, details, thread


def of_part(part, origin, knows_details):
    """The calls of a part in the order in which they ended: their end, and their line."""
    threads = sorted({block.thread for block in part.events})
    streams = (of_thread(part, thread, knows_details) for thread in threads)
    for event, details, thread in heapq.merge(*streams, key=lambda call: call[0].end):
        clock, zero = (part.clock, origin) if part.clock else (blocks.Clock(), 0)
        start, end = clock.at(event.start) - zero, clock.at(event.end) - zero
        yield end, line(part, event, details, thread, start, end)


def lines(files, knows_details):
    """The lines of a trace: by rank, and of a rank's parts together by the ends of their calls."""
    parts, origin = blocks.parts(files)
    ranks = {}
    for part in parts:
        ranks.setdefault(part.rank, []).append(part)
    for _, same in sorted(ranks.items()):
        streams = (of_part(part, origin, knows_details) for part in sorted(same, key=began))
        yield from (text for _, text in heapq.merge(*streams, key=lambda call: call[0]))


def began(part):
    first = min((block.first for block in part.events), default=0)
    return part.clock.at(first) if part.clock else first


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    names, files = sys.argv[1:], []
    knows_details = names[:1] != ["--without-details"]
    for name in names if knows_details else names[1:]:
        with open(name, "rb") as file:
            files.append(file.read())
    print("# " + "\t".join(COLUMNS.split()), flush=True)
    for text in lines(files, knows_details):
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")


if __name__ == "__main__":
    main()
