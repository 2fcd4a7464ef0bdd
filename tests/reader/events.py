"""The events of a block and their details (docs/design/format.md, "Events")."""

from dataclasses import dataclass
from itertools import accumulate

from blocks import MASK64, Cursor, Damaged

ENCODING = 5
FEW = 24
# Bits of a column's form.
ZERO, CONSTANT, PACKED, DICTIONARY, BYTES, SIZES, DIFFERENCES, FIRST = 0, 1, 2, 3, 4, 5, 8, 16
LENGTH, RET, OFFSET, FILE, BEFORE, AFTER = range(6)
SECOND_HALF = 2


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def unzigzag(value):
    return signed(value >> 1 ^ -(value & 1))


class Columns:
    """Reads the columns of a payload, one after another."""

    def __init__(self, payload):
        self.bytes = Cursor(payload)
        if self.bytes.u8() != ENCODING:
            raise Damaged("an encoding that is not known")
        self.bits = Cursor(self.bytes.bytes(self.bytes.number("I")))

    def signed(self):
        return unzigzag(self.bytes.varint())

    def column(self, count):
        form = self.bytes.u8()
        first = [self.signed()] if form & (FIRST | DIFFERENCES) else []
        numbers = first + self.of_form(form & 7, count - len(first))
        return [signed(number) for number in accumulate(numbers)] if form & DIFFERENCES else numbers

    def of_form(self, form, count):
        if form == ZERO:
            return [0] * count
        if form == CONSTANT:
            return [self.signed()] * count
        if form == PACKED:
            return self.packed(count)
        if form == DICTIONARY:
            return self.dictionary(count)
        if form == BYTES:
            self.bytes.varint()
            return [self.signed() for _ in range(count)]
        if form == SIZES:
            sizes = self.bytes.bytes(count)
            ends = list(accumulate((max(size - 1, 0) for size in sizes), initial=0))
            bits = int.from_bytes(self.bits.bytes((ends[-1] + 7) // 8), "little")
            return [unzigzag(size and 1 << size - 1 | bits >> end & (1 << size - 1) - 1) for size, end in zip(sizes, ends)]
        raise Damaged("a form that is not known")

    def packed(self, count):
        base, shift, width, exceptions = self.signed(), self.bytes.u8(), self.bytes.u8(), self.bytes.varint()
        numbers, at = self.unpacked(width, count), -1
        for _ in range(exceptions):
            at += 1 + self.bytes.varint()
            numbers[at] |= self.bytes.varint() << width
        return [signed(base + (number << shift)) for number in numbers]

    def dictionary(self, count):
        width, words = self.bytes.u8(), self.bytes.u8()
        words = [self.signed() for _ in range(words)]
        places, others = self.unpacked(width, count), self.bytes.varint()
        others = iter(self.packed(others) if others else [])
        return [next(others) if place == (1 << width) - 1 else words[place] for place in places]

    def unpacked(self, width, count):
        """Numbers of so many bits each, from the lowest bit of each byte upwards."""
        data = self.bits.bytes((width * count + 7) // 8)
        starts = (width * number for number in range(count))
        wide = (int.from_bytes(data[at >> 3 : (at + width + 7) >> 3], "little") >> (at & 7) for at in starts)
        return [number & (1 << width) - 1 for number in wide]


@dataclass
class Template:
    """What calls of a kind have in common."""

    op: int
    errno: int
    flags: int
    whence: int
    fd: int
    more: int
    number: int
    parent: int

    def __post_init__(self):
        self.reference, self.is_placed = self.more & 3, self.more >> 8 & 1
        self.forms, self.count = [], 0
        self.second, self.details = iter(()), iter(())


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

    def __init__(self, payload, count):
        self.columns = columns = Columns(payload)
        self.end, self.highest, self.highest_file = columns.signed(), columns.bytes.varint(), columns.bytes.varint()
        self.base, self.count = self.end, count
        self.descriptors, self.events = {}, []
        templates = columns.bytes.varint()
        fields = [columns.column(templates) for _ in range(8)]
        self.templates = [Template(*values) for values in zip(*fields)]
        for template in self.templates:
            template.forms = [columns.bytes.varint() for _ in range(template.more >> 16 & 7)]
        self.sequence = self.sequenced(count)
        self.placed()

    def sequenced(self, count):
        """Which template each call has."""
        columns, found = self.columns, []
        if len(self.templates) < 2:
            return [0] * count
        if columns.bytes.u8():
            found = columns.column(count)
        while len(found) < count:
            found += [columns.bytes.varint() for _ in range(columns.bytes.varint())]
            if len(found) < count:
                back, length = columns.bytes.varint(), columns.bytes.varint()
                for _ in range(length):
                    found.append(found[-back])
        news = iter(range(count))
        return [number - 1 if number else next(news) for number in found]

    def placed(self):
        """Reads the columns; of templates with few calls they are one behind the other."""
        for number in self.sequence:
            self.templates[number].count += 1
        few = [template for template in self.templates if template.count < FEW]
        many = [template for template in self.templates if template.count >= FEW]
        for some in [few] * any(template.count for template in few) + [[template] for template in many]:
            numbers = [self.columns.column(sum(template.count for template in some)) for _ in range(6)]
            rows = iter(zip(*numbers))
            for template in some:
                template.rows = iter([next(rows) for _ in range(template.count)])
            for template in some:
                if template.flags & SECOND_HALF:
                    template.second = zip(*(self.columns.column(template.count) for _ in range(4)))

    def details(self):
        """Reads the details, which stand last."""
        for template in self.templates:
            forms = []
            for form in template.forms:
                fields = [self.columns.column(template.count) for _ in range(self.columns.bytes.varint())]
                rows = zip(*fields) if fields else [()] * template.count
                forms.append([(form, [value & MASK64 for value in row] + [0] * (24 - len(fields))) for row in rows])
            template.details = iter(list(zip(*forms)))

    def descriptor(self, fd):
        """File and position of a descriptor, of those that are followed."""
        place = self.descriptors.get(fd & 127)
        if place is None or place[0] != fd:
            place = self.descriptors[fd & 127] = [fd, 0, 0]
        return place

    def file(self, fd, written):
        descriptor = self.descriptor(fd)
        if written:
            descriptor[1] = self.highest_file + 1 if written == 1 else written - 2
            self.highest_file = max(self.highest_file, descriptor[1])
        return descriptor[1]

    def event(self, template):
        event = Event(op=template.op, errno=template.errno, flags=template.flags, whence=template.whence, fd=template.fd)
        event.length, ret, offset, file, before, after = next(template.rows)
        event.length &= MASK64
        event.file = self.file(event.fd, file)
        descriptor = self.descriptor(event.fd)
        if template.is_placed:
            event.offset = signed(descriptor[2] + offset)
        event.ret = signed(ret + (0, event.length, event.fd, event.offset)[template.reference])
        moved = max(event.ret, 0)
        if template.is_placed:
            is_seek = moved > event.length or event.length == 0
            descriptor[2] = moved if is_seek else signed(event.offset + moved)
        if event.fd == -1 and event.file and 0 < event.ret < 1 << 31:
            self.descriptor(event.ret)[1:] = event.file, 0
        event.id = self.highest + 1 + template.number & MASK64
        inside = max(-template.number, 0)
        self.timed(event, inside, before, after)
        outer = self.events[-1 - inside] if inside < len(self.events) else None
        if template.parent == 1:
            event.parent = outer.parent if outer else 0
        elif template.parent:
            event.parent = event.id - 1 - unzigzag((template.parent & MASK64) - 2) & MASK64
        if event.flags & SECOND_HALF:
            file, fd, offset, arg = next(template.second)
            event.second = (self.file(fd, file), fd, signed(self.descriptor(fd)[2] + offset), arg & MASK64)
        self.events.append(event)
        return event

    def timed(self, event, inside, before, after):
        if inside:
            first = self.events[-inside].start if inside <= len(self.events) else self.base
            event.start, event.end = signed(first - before), signed(self.end + after)
        else:
            self.highest = event.id
            event.start = signed(self.end + before)
            event.end = signed(event.start + after)
        self.end = event.end


def events(block, knows_details=True):
    """The events of a block with their details, as far as they make sense; as an old reader, without details."""
    try:
        decoder = Decoder(block.payload, block.count)
    except (Damaged, IndexError):
        return
    try:
        if knows_details:
            decoder.details()
    except (Damaged, IndexError):
        for template in decoder.templates:
            template.details = iter(())
    for number in decoder.sequence:
        template = decoder.templates[number]
        event = decoder.event(template)
        yield event, list(next(template.details, ()))
