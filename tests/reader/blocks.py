"""The frame of a trace: blocks, parts, names, clocks (docs/design/format.md, from the start to "Footer")."""

import struct
import zlib
from dataclasses import dataclass, field

PROCESS, NAMES, EVENTS, END, INDEX, FOOTER = range(1, 7)
PACK = 8
SHORT = 128
MASK64 = (1 << 64) - 1


class Damaged(Exception):
    """Bytes that make no sense."""


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


class Cursor:
    """Reads numbers from bytes, and says Damaged where they end too early."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def bytes(self, count):
        if count > self.left():
            raise Damaged("too short")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize(form)))[0]

    def u8(self):
        return self.number("B")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if value > MASK64:
                raise Damaged("a number of more than 64 bits")
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise Damaged("a number of more than 64 bits")

    def signed(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def text(self):
        return self.bytes(self.varint())


@dataclass
class Block:
    """A block whose checksum is right."""

    at: int
    kind: int
    count: int
    rank: int
    pid: int
    thread: int
    first: int
    last: int
    payload: bytes
    length: int


def block_at(data, at):
    """The block that begins at a place; None where no whole one does."""
    head = data[at : at + 48]
    if len(head) < 48 or head[:4] != b"IOTA" or head[5] != 1:
        return None
    header_length, payload_length, count, rank, pid, thread, crc, first, last = struct.unpack("<6xHIIIIIIqq", head)
    length = header_length + payload_length
    whole = data[at : at + length]
    if header_length < 48 or len(whole) < length:
        return None
    if crc32c(whole[:28] + bytes(4) + whole[32:]) != crc:
        return None
    payload = whole[header_length:]
    return Block(at, head[4], count, rank, pid, thread, first, last, payload, length)


def blocks(data):
    """All whole blocks. After damage the next one is looked for."""
    at = 0
    while at < len(data):
        block = block_at(data, at)
        if block:
            yield from packed(block) if block.kind == PACK else [block]
            at += block.length
            continue
        at = data.find(b"IOTA", at + 1)
        if at < 0:
            return


def packed(pack):
    """The blocks of a pack's parts."""
    (length,) = struct.unpack("<I", pack.payload[:4])
    rank = pid = 0
    columns = Columns(zlib.decompress(pack.payload[4:], -15), length >> 31)
    cursor, signed = columns.heads, columns.heads.signed
    clocks = (0, 0, 0, 0)
    while cursor.left():
        kind, is_short = cursor.u8(), False
        if kind & SHORT:
            kind, is_short = kind - SHORT, True
        if kind == PROCESS:
            rank, pid = cursor.varint(), cursor.varint()
            before = pid
        thread, count, first = before + signed(), cursor.varint(), signed()
        before = 0 if kind == PROCESS else thread
        last, more, length = first + signed(), cursor.varint(), cursor.varint()
        cursor.bytes(more)
        payload = short(columns.of(kind), length, pid, clocks) if is_short else columns.payload(kind, length)
        if kind == PROCESS:
            found = fields(payload)
            clocks = words(found.get(10), "QQQ") + words(found.get(11), "Q")
        yield Block(pack.at, kind, count, rank, pid, thread, first, last, payload, 0)


class Columns:
    """The columns of a pack, or the one in which everything stands."""

    def __init__(self, raw, are_many):
        rest = Cursor(raw)
        lengths = [rest.varint() for _ in range(5)] if are_many else []
        self.all = [Cursor(rest.bytes(length)) for length in lengths] + [rest]
        self.heads = self.all[0]

    def of(self, kind):
        return self.all[{PROCESS: 1, NAMES: 2, EVENTS: 3}.get(kind, 5)] if len(self.all) > 1 else self.heads

    def payload(self, kind, length):
        if kind != EVENTS or len(self.all) == 1:
            return self.of(kind).bytes(length)
        events, bits = self.all[3:5]
        first = events.bytes(min(length, 5))
        count = int.from_bytes(first[1:], "little") if length >= 5 else 0
        raw = bits.bytes(count if count <= length - 5 else 0)
        return first + raw + events.bytes(length - len(first) - len(raw))


def short(cursor, length, pid, clocks):
    """A payload of so many bytes, whose clocks are differences to these, and where an id of the process is left out."""
    ticks, monotonic, realtime, rate = clocks
    payload = b""
    while len(payload) < length:
        tag = cursor.number("H")
        if tag in (10, 35):
            a, b, c = cursor.signed(), cursor.signed(), cursor.signed()
            expected = abs(a) * 10**9 // rate * (1 if a >= 0 else -1) if 0 < rate <= 10**10 else 0
            then = monotonic + expected + b
            values = [ticks + a, then, then + realtime - monotonic + c]
        elif tag == 11:
            values = [rate + cursor.signed()]
        else:
            bytes_of = cursor.bytes(cursor.number("H"))
            if tag in (8, 9) and bytes_of.endswith(b"\0"):
                bytes_of = bytes_of[:-1] + str(pid).encode()
            payload += struct.pack("<HH", tag, len(bytes_of)) + bytes_of
            continue
        payload += struct.pack(f"<HH{len(values)}Q", tag, 8 * len(values), *(value % 2**64 for value in values))
    return payload


def fields(payload):
    """The fields of a Process or End block, by their tags."""
    cursor, found = Cursor(payload), {}
    while cursor.left() >= 4:
        tag, length = cursor.number("H"), cursor.number("H")
        if length > cursor.left():
            break
        found[tag] = cursor.bytes(length)
    return found


def words(data, form):
    """So many 64-bit numbers; those that are not there are 0."""
    data = data or b""
    values = [data[8 * i : 8 * i + 8].ljust(8, b"\0") for i in range(len(form))]
    return struct.unpack("<" + form, b"".join(values))


@dataclass
class Function:
    name: bytes = b"-"
    layer: int = 255
    kind: int = 0


@dataclass
class Names:
    """What the ids in events stand for."""

    files: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)
    layouts: dict = field(default_factory=dict)
    forms: dict = field(default_factory=dict)
    texts: dict = field(default_factory=dict)

    def add(self, payload):
        """Adds a block's names, up to the first that makes no sense."""
        cursor, path, number, layout = Cursor(payload), b"", 0, b""
        try:
            while cursor.left():
                tag = cursor.u8()
                if tag == 1:
                    number, shared = cursor.varint(), cursor.varint()
                    path = path[:shared] + cursor.text()
                    self.files[number] = path
                elif tag == 2:
                    file, layout = cursor.varint(), changed(layout, cursor)
                    self.layouts[file] = layout
                elif tag == 6:
                    sized = Cursor(cursor.text())
                    path = path[: sized.varint()] + sized.bytes(sized.left())
                    number += 1
                    self.files[number] = path
                elif tag == 0:
                    return
                else:
                    self.sized(tag, Cursor(cursor.text()))
        except Damaged:
            pass

    def sized(self, tag, cursor):
        """A name with its size before it: one that is not known is passed over."""
        if tag == 3:
            number, layer, kind, _effects = cursor.varint(), cursor.u8(), cursor.u8(), cursor.u8()
            self.functions[number] = Function(cursor.bytes(cursor.left()), layer, kind)
        elif tag == 4:
            number, name, form = cursor.varint(), cursor.text(), []
            while cursor.left():
                form.append((cursor.u8(), cursor.text()))
            self.forms[number] = (name, form)
        elif tag == 5:
            number = cursor.varint()
            self.texts[number] = cursor.bytes(cursor.left())


def changed(before, cursor):
    """A layout, told as what differs from the one before."""
    length = cursor.varint()
    if length > 65536:
        raise Damaged("a layout too long")
    layout, at = bytearray(before[:length].ljust(length, b"\0")), 0
    while at < length:
        at += cursor.varint()
        other = cursor.text()
        layout[at : at + len(other)] = other
        at += len(other)
    if at != length:
        raise Damaged("a layout of another length")
    return bytes(layout)


@dataclass
class Clock:
    """Steps to ns since 1970: `base` + steps · `scale` / 2⁴⁴, to the nearest."""

    base: int = 0
    scale: int = 1 << 44

    def at(self, steps):
        return self.base + (steps * self.scale + (1 << 43) >> 44)


class Part:
    """What one process recorded from one start of the tracer to its end."""

    def __init__(self, rank, pid):
        self.rank, self.pid = rank, pid
        self.process, self.end = None, None
        self.names, self.events = Names(), []
        self.clock = None

    def key(self):
        return self.rank, self.pid, (self.process or {}).get(4, b"")

    def offset(self):
        found = (self.end or {}).get(36)
        return found and words(found, "qQq")

    def set_clock(self, offset):
        if self.process is None:
            return
        ticks, monotonic, realtime = words(self.process.get(10), "QQQ")
        (rate,), (step,) = words(self.process.get(11), "Q"), words(self.process.get(13), "Q")
        end_ticks, end_monotonic, _ = words((self.end or {}).get(35), "QQQ")
        nanos, counted = end_monotonic - monotonic, end_ticks - ticks
        if self.end is None or nanos < 100_000 or counted <= 0:
            nanos, counted = 10**9, max(rate, 1)
        scale = min((nanos << 28) * max(step, 65536) // counted, (1 << 63) - 1)
        self.clock = Clock(realtime, scale)
        if offset:
            ahead, _error, drift = offset
            since = max(end_monotonic - monotonic, 0)
            self.clock = Clock(realtime - ahead + share(since, drift), max(scale - share(scale, drift), 1))


def share(value, drift):
    """`value` times a drift in 10⁻¹², towards 0."""
    product = abs(value) * abs(drift) // 10**12
    return product if (value < 0) == (drift < 0) else -product


def parts(files):
    """The parts of a trace's files, by rank and time, with their clocks and the start of the job."""
    found = []
    for data in files:
        part = None
        for block in blocks(data):
            if block.kind in (INDEX, FOOTER):
                part = part if block.kind == INDEX else None
                continue
            if part is None or block.kind == PROCESS or (block.rank, block.pid) != (part.rank, part.pid):
                part = Part(block.rank, block.pid)
                found.append(part)
            if block.kind == PROCESS:
                part.process = fields(block.payload)
            elif block.kind == END:
                part.end = fields(block.payload)
            elif block.kind == NAMES:
                part.names.add(block.payload)
            elif block.kind == EVENTS:
                part.events.append(block)
    offsets = {part.key(): part.offset() for part in found if part.offset()}
    for part in found:
        part.set_clock(part.offset() or offsets.get(part.key()))
    start = min((part.clock.at(0) for part in found if part.clock), default=0)
    return found, start
