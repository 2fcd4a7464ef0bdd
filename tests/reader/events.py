"""The events of a block and their details (docs/FORMAT.md, "Events" and "Details")."""

from dataclasses import dataclass, replace

from blocks import MASK64, Cursor, Damaged

MASK, RARE, KEY, OP, FD, LENGTH, FILE, OFFSET, EXTENTS, RET, ID, ERRNO, FLAGS, WHENCE = range(14)
PARENT, SECOND_FILE, SECOND_FD, SECOND_OFFSET, ARG, LEAD, TAIL, COLUMNS = range(14, 22)
# Bits of the mask, of the mask of rare fields, and of an event's flags.
M_KEY, M_LENGTH, M_OFFSET, M_EXTENTS, M_RET, M_ID, M_PARENT, M_RARE = (1 << i for i in range(8))
R_FILE, R_ERRNO, R_FLAGS, R_WHENCE, R_FILE2, R_FD2, R_OFFSET2, R_ARG = (1 << i for i in range(8))
SECOND_HALF = 2


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def unzigzag(value):
    return signed(value >> 1 ^ -(value & 1))


def hashed(a, b):
    mixed = a * 0x9E3779B1 ^ b * 0x85EBCA77
    return (mixed * 0xC2B2AE3D & 0xFFFFFFFF) >> 16


def pair(a, b):
    return a * 37 & 0xFF ^ b


class Bits:
    """A stream of bits, from the lowest of each byte upwards."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def peek(self, count):
        byte = self.at >> 3
        window = int.from_bytes(self.data[byte : byte + (count + 14 >> 3)], "little")
        return window >> (self.at & 7) & (1 << count) - 1

    def skip(self, count):
        self.at += count
        if self.at > 8 * len(self.data):
            raise Damaged("events end too early")

    def get(self, count):
        value = self.peek(count)
        self.skip(count)
        return value


class Code:
    """A column's code: a table by the next `longest` bits."""

    def __init__(self, cursor=None):
        self.longest, self.table = 0, [(0, 0)]
        if cursor is None:
            return
        count = cursor.varint()
        if count == 0:
            self.table = [(cursor.varint() % 512, 0)]
        elif count == 1:
            self.longest = cursor.u8()
            if self.longest > 9:
                raise Damaged("a code")
            self.table = [(symbol, self.longest) for symbol in range(1 << self.longest)]
        else:
            self.huffman(self.lengths(cursor, count))

    @staticmethod
    def lengths(cursor, count):
        lengths, symbol = [], -1
        if count > 512:
            raise Damaged("a code")
        for _ in range(count):
            byte = cursor.u8()
            distance = byte >> 4
            symbol += 1 + (distance if distance < 15 else 15 + cursor.varint())
            if not 1 <= byte & 15 <= 11 or symbol > 511:
                raise Damaged("a code")
            lengths.append((byte & 15, symbol))
        return sorted(lengths)

    def huffman(self, lengths):
        self.longest = lengths[-1][0]
        self.table = [None] * (1 << self.longest)
        code, before = -1, lengths[0][0]
        for length, symbol in lengths:
            code, before = code + 1 << length - before, length
            if code >> length:
                raise Damaged("a code")
            # Codes stand with their highest bit first.
            first = int(f"{code:0{length}b}"[::-1], 2)
            for at in range(first, len(self.table), 1 << length):
                self.table[at] = (symbol, length)
        if None in self.table:
            raise Damaged("a code that is not complete")


@dataclass
class Key:
    op: int = 0
    fd: int = 0
    file: int = 0
    errno: int = 0
    flags: int = 0
    whence: int = 0
    length: int = 0
    length_before: int = 0
    ret: int = 0
    gap: int = 0
    jump: int = 0
    last_errno: int = 0
    rule: int = 0
    file_rule: int = 0
    repeats: int = 0
    placed: bool = False
    steady: bool = False
    young: int = 0
    means: tuple = (0, 0)
    spreads: tuple = (0, 0)

    def is_used(self):
        return any((self.op, self.errno, self.flags, self.whence))


@dataclass
class Descriptor:
    fd: int = 0
    file: int = 0
    position: int = 0


@dataclass
class Event:
    start: int = 0
    end: int = 0
    ret: int = 0
    offset: int = -1
    length: int = 0
    id: int = 0
    parent: int = 0
    file: int = 0
    fd: int = -1
    op: int = 0
    errno: int = 0
    flags: int = 0
    whence: int = 0
    second: tuple = (0, -1, -1, 0)  # file, fd, offset, arg


class Decoder:
    """The events of a block, one after another."""

    def __init__(self, payload):
        cursor = Cursor(payload)
        encoding = cursor.u8()
        if encoding not in (2, 3, 4):
            raise Damaged("an encoding that is not known")
        self.has_young = encoding > 2
        self.raw = Bits(cursor.bytes(cursor.number("I")))
        present = cursor.number("I")
        time, number, file = unzigzag(cursor.varint()), cursor.varint(), cursor.varint()
        if present >> COLUMNS:
            raise Damaged("columns that are not known")
        self.plain = None
        if encoding == 4:
            lengths = [cursor.varint() if present >> i & 1 else 0 for i in range(COLUMNS)]
            self.plain = [Cursor(cursor.bytes(length)) for length in lengths]
        else:
            self.codes = [Code(cursor if present >> i & 1 else None) for i in range(COLUMNS)]
            self.symbols = Bits(cursor.bytes(cursor.left()))
        self.next_file, self.last_end, self.highest = file & 0xFFFFFFFF, time, number
        self.keys = [Key() for _ in range(128)]
        if self.has_young:
            self.keys[0].spreads = (400, 400)
        self.before = self.before2 = 0
        self.next, self.latest = [0] * 256, [0] * 256
        self.descriptors = [Descriptor() for _ in range(128)]
        self.lengths = [0] * 128
        self.nesting = [(0, False)] * 256
        self.open = []  # [id, first] of each call under way
        self.second = (0, 0, 0, 0, 0)
        self.run = 0

    def symbol(self, column):
        if self.plain:
            return self.plain[column].varint() % 512
        code = self.codes[column]
        symbol, length = code.table[self.symbols.peek(code.longest)]
        self.symbols.skip(length)
        return symbol

    def number(self, column):
        if self.plain:
            return self.plain[column].varint()
        token = self.symbol(column)
        if token <= 15:
            return token
        bits = token // 8 - 1
        return ((8 + token % 8 << bits) + self.raw.get(bits)) & MASK64

    def signed(self, column):
        return unzigzag(self.number(column))

    def event(self):
        event = Event()
        mask = self.mask()
        at = self.key(mask)
        key = self.keys[at]
        event.op, event.fd = key.op, key.fd
        descriptor = self.descriptors[key.fd & 127]
        if descriptor.fd != key.fd:
            descriptor.fd, descriptor.file, descriptor.position = key.fd, 0, 0
        as_before = key.steady and descriptor.file == key.file and not mask & (M_LENGTH | M_RET | M_RARE)
        if as_before:
            self.repeated(event, mask, key, descriptor)
        else:
            self.other(event, mask, at, key, descriptor)
        encloses = self.numbered(event, mask, at)
        self.timed(event, key, encloses)
        self.last_end, self.before2, self.before = event.end, self.before, at
        return event

    def mask(self):
        if self.run == 0:
            symbol = self.symbol(MASK)
            if symbol <= 256:
                return symbol & 0xFF
            self.run = symbol - 256
        self.run -= 1
        return 0

    def key(self, mask):
        place = pair(self.before, self.before2)
        expected = self.next[place]
        if not mask & M_KEY:
            return expected
        symbol = self.symbol(KEY)
        op, fd = self.keys[expected].op, self.keys[self.before].fd
        if symbol <= 127 or symbol > 130:
            op, fd = self.keys[symbol % 128].op, self.keys[symbol % 128].fd
        elif symbol == 129:
            fd = signed(self.signed(FD), 32)
        elif symbol != 128:
            op, fd = self.number(OP) & 0xFFFF, signed(self.signed(FD), 32)
        self.next[place] = at = self.entered(op, fd)
        self.latest[op & 0xFF] = at
        return at

    def entered(self, op, fd):
        first = hashed(op, fd & 0xFFFFFFFF) & 127
        for home in (first, first ^ 1):
            if (self.keys[home].op, self.keys[home].fd) == (op, fd):
                return home
        home = first
        if self.keys[first].is_used() and (not self.keys[first ^ 1].is_used() or first == self.before):
            home = first ^ 1
        like = self.keys[self.latest[op & 0xFF]]
        key = replace(like, op=op, fd=fd, gap=0, repeats=0, steady=False)
        if self.has_young:
            key.young = 32
            if like.op != op:
                key.means, key.spreads = self.keys[self.before].means, self.keys[self.before].spreads
        self.keys[home] = key
        return home

    def offset(self, mask, key, descriptor, length):
        expected = signed(descriptor.position + key.gap) if key.placed else -1
        if mask & M_EXTENTS:
            offset = signed(expected + self.signed(EXTENTS) * length)
        elif mask & M_OFFSET:
            offset = signed(expected + self.signed(OFFSET))
        else:
            offset = expected
        if offset != expected:
            key.placed = offset != -1
        if key.placed:
            key.gap = signed(offset - descriptor.position)
        return offset

    def repeated(self, event, mask, key, descriptor):
        event.file, event.errno, event.flags, event.whence = key.file, key.errno, key.flags, key.whence
        event.length, event.ret = key.length, key.ret
        event.offset = self.offset(mask, key, descriptor, key.length)
        if key.placed:
            descriptor.position = signed(event.offset + max(event.ret, 0))
        elif event.ret == event.fd:
            descriptor.position = 0

    def other(self, event, mask, at, key, descriptor):
        before = key.length_before & 0xFFFFFFFF
        rotated = (before << 16 | before >> 16) & 0xFFFFFFFF
        place = hashed(key.length & 0xFFFFFFFF ^ rotated, at) & 127
        known = self.lengths[place]
        event.length = key.length if known == 0 or key.steady else known - 1
        if mask & M_LENGTH:
            event.length = event.length + self.signed(LENGTH) & MASK64
        self.lengths[place] = event.length + 1 & MASK64
        event.offset = self.offset(mask, key, descriptor, event.length)
        self.ret(event, mask, key)
        rare = self.symbol(RARE) if mask & M_RARE else 0
        self.rare(event, rare, key, descriptor)
        self.learn(event, key)
        descriptor.file = event.file
        if event.offset != -1:
            moved = max(event.ret, 0)
            jumped = moved > event.length or event.length == 0
            descriptor.position = moved if jumped else signed(event.offset + moved)
        elif event.ret == event.fd:
            descriptor.position = 0

    def ret(self, event, mask, key):
        length = signed(event.length)
        event.ret = (length, event.fd, key.ret, signed(event.offset + key.jump))[key.rule]
        if mask & M_RET:
            event.ret = signed(event.ret + self.signed(RET))
        jump = signed(event.ret - event.offset)
        if event.ret == length:
            key.rule = 0
        elif event.ret == event.fd:
            key.rule = 1
        elif event.ret == key.ret:
            key.rule = 2
        elif event.offset != -1 and jump == key.jump:
            key.rule = 3
        key.jump = jump

    def rare(self, event, rare, key, descriptor):
        file = (descriptor.file, 0, key.file, self.next_file)[key.file_rule]
        if rare & R_FILE:
            file = self.next_file + self.signed(FILE) & 0xFFFFFFFF
        rules = (descriptor.file, 0, key.file, self.next_file)
        if file in rules:
            key.file_rule = rules.index(file)
        self.next_file = max(self.next_file, file + 1 & 0xFFFFFFFF)
        event.file = file
        event.errno = key.last_errno if event.ret < 0 else 0
        if rare & R_ERRNO:
            event.errno = self.signed(ERRNO) & 0xFFFF
        if event.ret < 0:
            key.last_errno = event.errno
        event.flags = self.signed(FLAGS) & 0xFFFF if rare & R_FLAGS else key.flags
        event.whence = self.signed(WHENCE) & 0xFFFF if rare & R_WHENCE else key.whence
        if event.flags & SECOND_HALF:
            event.second = self.half(rare)

    def half(self, rare):
        file, fd, last_offset, arg, gap = self.second
        if rare & R_FILE2:
            file = file + self.signed(SECOND_FILE) & 0xFFFFFFFF
        if rare & R_FD2:
            fd = signed(self.signed(SECOND_FD), 32)
        offset = signed(last_offset + gap)
        if rare & R_OFFSET2:
            offset = signed(offset + self.signed(SECOND_OFFSET))
        if rare & R_ARG:
            arg = arg + self.signed(ARG) & MASK64
        self.second = (file, fd, offset, arg, signed(offset - last_offset))
        return file, fd, offset, arg

    def learn(self, event, key):
        now = (event.file, event.errno, event.flags, event.whence, event.length, event.ret)
        was = (key.file, key.errno, key.flags, key.whence, key.length, key.ret)
        key.repeats = min(key.repeats + 1, 255) if now == was else 0
        key.length_before = key.length
        key.file, key.errno, key.flags, key.whence, key.length, key.ret = now
        length = signed(event.length)
        predicted = (length, event.fd, key.ret)
        key.steady = (
            key.repeats >= 3
            and (not key.placed or event.length != 0 and event.ret <= length)
            and key.file_rule == 0
            and key.rule != 3
            and predicted[key.rule] == event.ret
            and (event.ret < 0 or event.errno == 0)
            and not event.flags & SECOND_HALF
        )

    def numbered(self, event, mask, at):
        """The event's numbers; of one that encloses others, [id, first], else None."""
        where = pair(self.before, at)
        place, inside = self.nesting[where]
        if mask & M_ID:
            place = self.signed(ID)
        encloses = None
        if place >= 0:
            begun = range(max(self.highest + 1, self.highest + place - 15), self.highest + place + 1)
            self.open = (self.open + [[number, None] for number in begun])[-16:]
            event.id = self.highest = self.highest + place + 1 & MASK64
        else:
            later = -1 - place
            if later < len(self.open):
                self.open, encloses = self.open[: -1 - later], self.open[-1 - later]
                event.id = encloses[0]
            else:
                event.id = self.highest - (later - len(self.open)) & MASK64
        outer = self.open[-1][0] if self.open else None
        distance = signed(event.id - outer) if inside and outer is not None else 0
        if mask & M_PARENT:
            distance = self.signed(PARENT)
        event.parent = event.id - distance & MASK64 if distance else 0
        self.nesting[where] = (signed(place, 32), distance != 0)
        return encloses

    def timed(self, event, key, encloses):
        if encloses:
            first = self.last_end if encloses[1] is None else encloses[1]
            event.start = signed(first - self.number(LEAD))
            event.end = signed(self.last_end + self.number(TAIL))
        else:
            time = self.young_time if key.young else self.time
            event.start = signed(self.last_end + time(key, 0))
            event.end = signed(event.start + time(key, 1))
            key.young = max(key.young - 1, 0)
        if self.open and (self.open[-1][1] is None or event.start < self.open[-1][1]):
            self.open[-1][1] = event.start

    def young_time(self, key, which):
        """A coded time of a young key."""
        mean, spread = key.means[which], key.spreads[which]
        low, zeros = likely(spread), 0
        while zeros < 64 and not self.raw.get(1):
            zeros += 1
        if zeros == 64:
            self.raw.skip(1)
        size = min(low + max(zeros - 1, 0), 63)
        z = self.raw.get(size) + (1 << size if zeros else 0)
        distance, reach = unzigzag(z), 1 << low
        put(key, which, mean + 4 * max(-reach, min(distance, reach)), spread - (spread >> 1) + 4 * min(z, 4 * reach))
        return signed((mean >> 3) + distance)

    def time(self, key, which):
        """A coded time of another key."""
        mean, spread = key.means[which], key.spreads[which]
        expected, zeros = mean >> 3, 0
        low = likely(spread)
        while zeros < 8 and not self.raw.get(1):
            zeros += 1
        if zeros < 8:
            z = (zeros << low) + self.raw.get(low)
            time = signed(expected + unzigzag(z))
            learnt = z, time
        else:
            bits = self.raw.get(6)
            z = (1 << bits) + self.raw.get(bits)
            time = signed(expected + unzigzag(z))
            bounded = (8 << low) + (z & 1)
            learnt = bounded, signed(expected + unzigzag(bounded))
        if zeros == 8 and spread == 0:
            put(key, which, 8 * time, 4 * abs(time))
        else:
            put(key, which, mean + learnt[1] - expected, spread + learnt[0] - (spread >> 3))
        return time


def likely(spread):
    """How many bits a distance is likely to take."""
    return max((spread >> 3 & 0xFFFFFFFF).bit_length() - 1, 0)


def put(key, which, mean, spread):
    """Changes one of a key's two means and spreads."""
    means, spreads = list(key.means), list(key.spreads)
    means[which], spreads[which] = signed(mean), signed(spread)
    key.means, key.spreads = tuple(means), tuple(spreads)


class Context:
    """What details of one form have in common, of calls of one op on one file."""

    def __init__(self, whose=(0, 0, 0), like=None):
        self.whose = whose  # op, form, file
        self.next = like.next if like else (0, 0)  # gap, form
        self.fields = [list(one) for one in like.fields] if like else [[0, 0, 0] for _ in range(24)]


class Details:
    """The details of a block, asked for event by event."""

    def __init__(self, data):
        self.cursor, self.run, self.at = Cursor(data), 0, 0
        self.contexts, self.latest = [Context() for _ in range(32)], [0] * 32
        self.before = self.index = 0
        self.upcoming = self.begun()

    def begun(self):
        """The next details: index of their event, gap, form, head. None at the end, or where they make no sense."""
        try:
            head = self.head()
            if head is None:
                return None
            gap, form = self.contexts[self.before].next
            gap = self.cursor.varint() if head & 1 else gap
            form = self.cursor.varint() if head & 2 else form
            return (self.index + gap, gap, form, head) if form <= 0xFFFF else None
        except Damaged:
            return None

    def head(self):
        if self.run == 0:
            if not self.cursor.left():
                return None
            head = self.cursor.varint()
            if head:
                return head if head < 1 << 26 else None
            self.run = self.cursor.varint()
            if self.run == 0:
                return None
        self.run -= 1
        return 0

    def of(self, event):
        """The details of the next event: form, and 24 values of each."""
        found, index = [], self.at
        self.at += 1
        while self.upcoming and self.upcoming[0] == index:
            _, gap, form, head = self.upcoming
            values = self.values(event, gap, form, head)
            if values is None or len(found) == 4:
                self.upcoming = None
                break
            found.append((form, values))
            self.index = index
            self.upcoming = self.begun()
        return found

    def values(self, event, gap, form, head):
        self.contexts[self.before].next = (gap, form)
        at = hashed(event.op << 16 | form, event.file) & 31
        like = self.contexts[self.latest[form & 31]]
        self.latest[form & 31] = self.before = at
        whose = (event.op, form, event.file)
        if self.contexts[at].whose != whose:
            self.contexts[at] = Context(whose, like if like.whose[1] == form else None)
        values = []
        try:
            for i, field in enumerate(self.contexts[at].fields):
                last, difference, stride = field
                value = last + stride & MASK64
                if head >> 2 + i & 1:
                    value = value + unzigzag(self.cursor.varint()) & MASK64
                now = value - last & MASK64
                field[:] = value, now, now if now == difference else stride
                values.append(value)
        except Damaged:
            return None
        return values


def events(block, knows_details=True):
    """The events of a block with their details, as far as they make sense; as an old reader, without details."""
    end = len(block.payload) - (block.details if knows_details else 0)
    if block.count > 2048 or end < 0:
        return
    try:
        decoder, details = Decoder(block.payload[:end]), Details(block.payload[end:])
        for _ in range(block.count):
            event = decoder.event()
            yield event, details.of(event)
    except Damaged:
        return
