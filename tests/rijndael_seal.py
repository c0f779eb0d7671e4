"""Seals blocks with Rijndael, with keys that no library takes any more."""

from __future__ import annotations

from functools import cache


@cache
def times(a: int, b: int) -> int:
    found = 0
    for bit in range(8):
        found ^= a << bit if b >> bit & 1 else 0
    for bit in range(14, 7, -1):
        found ^= 0x11B << bit - 8 if found >> bit & 1 else 0
    return found


@cache
def substitutions() -> bytes:
    powers = [1]
    while len(powers) < 255:
        powers.append(times(powers[-1], 3))
    inverse = {value: powers[-at % 255] for at, value in enumerate(powers)}
    turned = [inverse.get(value, 0) * 0x101 for value in range(256)]
    return bytes((t ^ t >> 4 ^ t >> 5 ^ t >> 6 ^ t >> 7) & 0xFF ^ 0x63 for t in turned)


def rijndael(key: bytes, block: bytes) -> bytes:
    """Seal one block, as slowly and as near to the proposal's words as can be."""
    box = substitutions()
    size = len(key) // 4
    words = [key[i : i + 4] for i in range(0, len(key), 4)]
    power = 1
    while len(words) < 4 * (size + 7):
        word = words[-1]
        if len(words) % size == 0:
            word = bytes(box[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ power]) + word[1:]
            power = times(power, 2)
        elif size > 6 and len(words) % size == 4:
            word = bytes(box[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(words[-size], word, strict=True)))
    keys = [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]
    state = [a ^ b for a, b in zip(block, keys[0], strict=True)]
    for number, own in enumerate(keys[1:], start=1):
        state = [box[state[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < len(keys) - 1:
            state = [
                times(state[i], 2)
                ^ times(state[i - i % 4 + (i + 1) % 4], 3)
                ^ state[i - i % 4 + (i + 2) % 4]
                ^ state[i - i % 4 + (i + 3) % 4]
                for i in range(16)
            ]
        state = [a ^ b for a, b in zip(state, own, strict=True)]
    return bytes(state)


def chained(data: bytes, key: bytes, vector: bytes) -> bytes:
    """Seal whole blocks, each chained with the one before."""
    sealed = [vector]
    for at in range(0, len(data), 16):
        block = data[at : at + 16]
        sealed.append(rijndael(key, bytes(a ^ b for a, b in zip(block, sealed[-1], strict=True))))
    return b"".join(sealed[1:])
