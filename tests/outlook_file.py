"""Writes a small Outlook data file ([MS-PST], Unicode): folders, messages, recipients, attachments.

Each node has one block of data; indexes have one page. Values of more than four bytes are in the
heap of their node, which limits a message to 3,500 bytes.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

UNICODE, BINARY, LONG, TIME = 0x1F, 0x102, 0x03, 0x40
STORE, NAMES, ROOT = 0x21, 0x61, 0x122
FOLDER, MESSAGE, ATTACHMENT = 0x02, 0x04, 0x05
RECIPIENTS, ATTACHMENTS = 0x692, 0x671
LOCATION = 0x8208
"""The only named property, of appointments; its id is 0x8000."""

Values = dict[tuple[int, int], bytes]


def text(value: str) -> bytes:
    return value.encode("utf-16-le")


def long(value: int) -> bytes:
    return struct.pack("<I", value)


def crc(data: bytes) -> int:
    return zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF


@dataclass
class Heap:
    """A heap on a node: *kind* 0xBC for properties, 0x7C for a table."""

    kind: int
    items: list[bytes] = field(default_factory=list)

    def add(self, data: bytes) -> int:
        self.items.append(data)
        return len(self.items) << 5

    def build(self, root: int) -> bytes:
        offsets, body = [12], b""
        for item in self.items:
            body += item
            offsets.append(12 + len(body))
        body += b"\0" * (len(body) % 2)
        head = struct.pack("<HBBII", 12 + len(body), 0xEC, self.kind, root, 0)
        map_ = struct.pack("<HH", len(self.items), 0)
        return head + body + map_ + b"".join(struct.pack("<H", o) for o in offsets)


def tree(heap: Heap, key: int, width: int, records: bytes) -> int:
    rows = heap.add(records) if records else 0
    return heap.add(struct.pack("<BBBBI", 0xB5, key, width, 0, rows))


def properties(values: Values) -> bytes:
    heap, records = Heap(0xBC), b""
    root = heap.add(b"")
    for (identity, kind), value in sorted(values.items()):
        inline = kind == LONG
        held = struct.unpack("<I", value)[0] if inline else heap.add(value) if value else 0
        records += struct.pack("<HHI", identity, kind, held)
    rows = heap.add(records)
    heap.items[0] = struct.pack("<BBBBI", 0xB5, 2, 6, 0, rows)
    return heap.build(root)


def table(rows: list[tuple[int, Values]]) -> bytes:
    """Return a table; rows have their own number and the same columns."""
    heap = Heap(0x7C)
    root = heap.add(b"")
    columns = [((0x67F2, LONG), 0, 4), ((0x67F3, LONG), 4, 4)]
    at = 8
    for column in sorted({c for _, values in rows for c in values}):
        columns.append((column, at, 4))
        at += 4
    index = tree(heap, 4, 4, b"".join(struct.pack("<II", n, i) for i, (n, _) in enumerate(rows)))
    bits = (len(columns) + 7) // 8
    matrix = b""
    for number, values in rows:
        row = struct.pack("<II", number, 0)
        for column, _, _ in columns[2:]:
            value = values[column]
            is_long = column[1] == LONG
            row += value if is_long else long(heap.add(value))
        matrix += row + bytes([0xFF] * bits)
    data = heap.add(matrix) if matrix else 0
    ends = struct.pack("<HHHH", at, at, at, at + bits)
    info = struct.pack("<BB8sIII", 0x7C, len(columns), ends, index, data, 0)
    for (identity, kind), offset, width in sorted(columns):
        info += struct.pack("<HHHBB", kind, identity, offset, width, offset // 4)
    heap.items[0] = info
    return heap.build(root)


@dataclass
class OutlookFile:
    """Collects nodes and writes the file."""

    blocks: list[tuple[int, bytes]] = field(default_factory=list)
    nodes: list[tuple[int, int, int, int]] = field(default_factory=list)
    next: int = 0x100

    def block(self, data: bytes, *, inner: bool = False) -> int:
        number = 4 * (len(self.blocks) + 1) + 2 * inner
        self.blocks.append((number, data))
        return number

    def node(self, number: int, data: bytes, parent: int, subnodes: int = 0) -> int:
        self.nodes.append((number, self.block(data), subnodes, parent))
        return number

    def folder(self, name: str, parent: int = ROOT) -> int:
        self.next += 1
        return self.node(
            self.next << 5 | FOLDER, properties({(0x3001, UNICODE): text(name)}), parent
        )

    def message(
        self,
        folder: int,
        values: Values,
        recipients: tuple[Values, ...] = (),
        files: tuple[Values, ...] = (),
    ) -> int:
        self.next += 1
        inside: list[tuple[int, int]] = []
        if recipients:
            inside.append((RECIPIENTS, self.block(table(list(enumerate(recipients, 1))))))
        if files:
            numbers = [(n << 5) | ATTACHMENT for n in range(0x400, 0x400 + len(files))]
            rows: list[tuple[int, Values]] = [(n, {(0x3705, LONG): long(1)}) for n in numbers]
            inside.append((ATTACHMENTS, self.block(table(rows))))
            inside += [
                (n, self.block(properties(file))) for n, file in zip(numbers, files, strict=True)
            ]
        entries = b"".join(struct.pack("<QQQ", n, b, 0) for n, b in sorted(inside))
        subnodes = (
            self.block(struct.pack("<BBHI", 2, 0, len(inside), 0) + entries, inner=True)
            if inside
            else 0
        )
        return self.node(self.next << 5 | MESSAGE, properties(values), folder, subnodes)

    def build(self) -> bytes:
        if not any(number == STORE for number, *_ in self.nodes):
            self.node(STORE, properties({(0x3001, UNICODE): text("Store")}), 0)
            self.node(ROOT, properties({(0x3001, UNICODE): text("")}), ROOT)
            place = struct.pack("<IHH", LOCATION, 2, 0)
            names = {(1, LONG): long(251), (2, BINARY): bytes(16), (3, BINARY): place}
            self.node(NAMES, properties(names | {(4, BINARY): bytes(4)}), 0)
        body, at = b"", 0x4600
        places = []
        for number, data in self.blocks:
            size = len(data)
            padded = -(-(size + 16) // 64) * 64
            place = at + len(body)
            sign = (place ^ number) & 0xFFFFFFFF
            sign = (sign >> 16) ^ (sign & 0xFFFF)
            body += data + b"\0" * (padded - size - 16)
            body += struct.pack("<HHIQ", size, sign, crc(data), number)
            places.append((number, place, size))
        body += b"\0" * (-len(body) % 512)
        by_node = [struct.pack("<QQQII", n, b, s, p, 0) for n, b, s, p in sorted(self.nodes)]
        by_block = [struct.pack("<QQHHI", n, p, s, 2, 0) for n, p, s in places]
        node_root, body = self.index(0x81, by_node, 32, at, body)
        block_root, body = self.index(0x80, by_block, 24, at, body)
        return self.header(node_root, block_root, at + len(body)) + body

    def index(
        self, kind: int, entries: list[bytes], width: int, at: int, body: bytes
    ) -> tuple[tuple[int, int], bytes]:
        """Append the pages of an index of up to two levels; return number and place of its root."""
        most = 488 // width
        pages = [entries[n : n + most] for n in range(0, len(entries), most)]
        above = []
        for page in pages:
            number, place = 0x1000 + 4 * (len(body) // 512 + kind), at + len(body)
            body += self.page(kind, page, most, width, 0, number, place)
            above.append(page[0][:8] + struct.pack("<QQ", number, place))
        if len(above) > 1:
            number, place = 0x1000 + 4 * (len(body) // 512 + kind), at + len(body)
            body += self.page(kind, above, 20, 24, 1, number, place)
        return (number, place), body

    @staticmethod
    def page(
        kind: int, entries: list[bytes], most: int, width: int, level: int, number: int, place: int
    ) -> bytes:
        data = b"".join(entries).ljust(488, b"\0")
        data += struct.pack("<BBBBI", len(entries), most, width, level, 0)
        sign = (place ^ number) & 0xFFFFFFFF
        sign = (sign >> 16) ^ (sign & 0xFFFF)
        return data + struct.pack("<BBHIQ", kind, kind, sign, crc(data), number)

    @staticmethod
    def header(nodes: tuple[int, int], blocks: tuple[int, int], size: int) -> bytes:
        root = struct.pack("<IQQQQ", 0, size, 0x4400, 0, 0)
        root += struct.pack("<QQQQ", *nodes, *blocks) + struct.pack("<BBH", 2, 0, 0)
        rest = struct.pack("<HHHBBII", 0x4D53, 23, 19, 1, 1, 0, 0)
        rest += struct.pack("<QQI", 0, 0x2000, 1) + b"\0" * 128 + b"\0" * 8
        rest += root + b"\0" * 4 + b"\xff" * 256 + b"\x80\0\0\0" + struct.pack("<Q", 0x4000)
        head = b"!BDN" + struct.pack("<I", crc(rest[:471])) + rest
        head += struct.pack("<I", crc(rest[:516])) + b"\0" * 36
        return head.ljust(0x4600, b"\0")
