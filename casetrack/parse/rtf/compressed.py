"""Unpacks the compressed RTF of Outlook's messages ([MS-OXRTFCP])."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<IIII")
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_SIZE, _MASK = 4096, 4095
_PRESET = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}"
    b"{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


class BadCompression(ValueError):
    """The bytes are no compressed RTF."""


def decompress_rtf(data: bytes, /) -> bytes:
    """Return the RTF in *data*; of a damaged stream as much as can be read.

    The result is at most some nine times as long as *data*, as the method allows no more.

    Raises
    ------
    BadCompression
        The header is that of something else.
    """
    if len(data) < _HEADER.size:
        raise BadCompression("it is too short")
    _, raw_size, kind, _ = _HEADER.unpack_from(data)
    if kind == _PLAIN:
        return data[_HEADER.size : _HEADER.size + raw_size]
    if kind != _PACKED:
        raise BadCompression("its mark is unknown")
    return _unpack(data, raw_size)


def _unpack(data: bytes, raw_size: int) -> bytes:
    window = bytearray(_PRESET.ljust(_SIZE, b" "))
    write = len(_PRESET)
    out = bytearray()
    at, end = _HEADER.size, len(data)
    while at < end:
        control = data[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                if at >= end:
                    return bytes(out[:raw_size])
                byte = data[at]
                at += 1
                out.append(byte)
                window[write] = byte
                write = (write + 1) & _MASK
                continue
            if at + 1 >= end:
                return bytes(out[:raw_size])
            reference = data[at] << 8 | data[at + 1]
            at += 2
            read, length = reference >> 4, (reference & 15) + 2
            if read == write:
                return bytes(out[:raw_size])
            for i in range(length):
                byte = window[(read + i) & _MASK]
                out.append(byte)
                window[write] = byte
                write = (write + 1) & _MASK
    return bytes(out[:raw_size])
