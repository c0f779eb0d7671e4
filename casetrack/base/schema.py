"""Table declarations: loads ``schemas/vN/NAME.toml`` and checks Arrow tables against them.

The Arrow schemas, the checks between steps, ``casetrack schema`` and the documentation are derived
from the declarations. Types: ``string``, ``int32``, ``double``, ``bool``, ``timestamp``
(microseconds, UTC), ``binary``, ``list<T>``, ``struct<a:T,b:T>``, ``vector<T,N>``, and
``vector<T,*>``, whose length depends on the profile of the collection.
"""

from __future__ import annotations

import functools
import tomllib
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import SchemaError
from casetrack.base.resources import SCHEMA_VERSION, resource_dir

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

_COMPRESSION = "lance-encoding:compression"
"""Metadata of a field by which Lance packs its values."""


@functools.cache
def _scalars() -> dict[str, pa.DataType]:
    # Arrow comes with the first table: a server that waits for its first question has none yet.
    import pyarrow as pa

    return {
        "string": pa.string(),
        "binary": pa.binary(),
        "bool": pa.bool_(),
        "int32": pa.int32(),
        "int64": pa.int64(),
        "float16": pa.float16(),
        "float32": pa.float32(),
        "double": pa.float64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a declared table."""

    name: str
    type_text: str
    type: pa.DataType  # `list<T>` for a `vector<T,*>`, whose length is unknown in the declaration
    nullable: bool
    unit: str
    doc: str
    compression: str = ""  # lance's compression, such as `zstd`; empty for Lance's choice
    family: str = ""  # columns that are read and checked together; one of the table's `families`

    @property
    def is_open(self) -> bool:
        """Whether it holds vectors whose length a collection settles."""
        return self.type_text.endswith(",*>")

    def field(self, dimension: int | None = None, /) -> pa.Field:
        """Return the Arrow field of this column; *dimension* is the length of open vectors.

        Raises ``SchemaError``: the column needs a dimension.
        """
        import pyarrow as pa

        kind = self.type
        if self.is_open:
            if dimension is None:
                raise SchemaError(f"Column {self.name!r} needs the dimension of its vectors.")
            kind = pa.list_(kind.value_type, dimension)
        noted = {_COMPRESSION: self.compression} if self.compression else None
        return pa.field(self.name, kind, nullable=self.nullable, metadata=noted)

    def fits(self, stored: pa.DataType, /) -> bool:
        """Return whether a stored type is the declared one."""
        import pyarrow as pa

        if self.is_open:
            is_vector = pa.types.is_fixed_size_list(stored)
            return bool(is_vector and stored.value_type == self.type.value_type)
        return bool(stored == self.type)


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A declared table."""

    name: str
    version: int
    doc: str
    columns: tuple[Column, ...]
    # Families of columns, one checksum each, in the order of the checksums; empty for tables
    # without checksums. See `casetrack.store.checksums`.
    families: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in declared order."""
        return tuple(c.name for c in self.columns)

    def column(self, name: str, /) -> Column:
        """Return the column *name*; an unknown one is an error that lists the known ones."""
        for column in self.columns:
            if column.name == name:
                return column
        raise SchemaError(
            f"Table {self.name!r} has no column {name!r}.", hint=f"Columns: {', '.join(self.names)}"
        )

    def arrow(
        self, names: Iterable[str] | None = None, /, *, dimension: int | None = None
    ) -> pa.Schema:
        """Return the Arrow schema of all columns, or of *names* in declared order.

        *dimension* is the length of open vectors. Raises ``SchemaError``: a name is not declared,
        or a column needs a dimension.
        """
        import pyarrow as pa

        wanted = set(self.names if names is None else names)
        for name in wanted:
            self.column(name)
        return pa.schema([c.field(dimension) for c in self.columns if c.name in wanted])

    def check(
        self, schema: pa.Schema, /, *, where: str, names: Iterable[str] | None = None
    ) -> None:
        """Check that *schema* has the declared columns with their types.

        Parameters
        ----------
        where
            Prefix of the error message, for instance ``"step 'chunk'"``.
        names
            Required columns; all by default. Further columns must be declared.

        Raises ``SchemaError``: a column is missing, has another type, or is not declared.
        """
        columns, present = {c.name: c for c in self.columns}, set(schema.names)
        for name in columns if names is None else names:
            if name not in present:
                raise SchemaError(f"{where}: column {self.name}.{name} is missing.")
        for field in schema:
            declared = columns.get(field.name)
            if declared is None:
                raise SchemaError(
                    f"{where}: column {field.name!r} is not declared in table {self.name!r}."
                )
            if not declared.fits(field.type):
                raise SchemaError(
                    f"{where}: column {self.name}.{field.name} is {field.type}, "
                    f"declared as {declared.type_text}."
                )


def parse_type(text: str, /) -> pa.DataType:
    """Convert a declared type (see the module's docstring) to an Arrow type.

    Raises ``SchemaError``: the type is unknown.
    """
    import pyarrow as pa

    text = text.strip()
    if text in _scalars():
        return _scalars()[text]
    if text.endswith(">"):
        outer, _, inner = text[:-1].partition("<")
        parts = _split_top(inner)
        if outer == "list" and len(parts) == 1:
            return pa.list_(parse_type(parts[0]))
        if outer == "vector" and len(parts) == 2:
            length = parts[1].strip()
            if length == "*":
                return pa.list_(parse_type(parts[0]))
            if length.isdigit():
                return pa.list_(parse_type(parts[0]), int(length))
        if outer == "struct":
            pairs = [part.partition(":") for part in parts]
            return pa.struct([pa.field(name.strip(), parse_type(t)) for name, _, t in pairs])
    known = ", ".join([*_scalars(), "list<T>", "struct<a:T>", "vector<T,N>", "vector<T,*>"])
    raise SchemaError(f"Unknown column type {text!r}.", hint=f"Known types: {known}")


def _split_top(text: str) -> list[str]:
    """Split at commas outside angle brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return parts


def load_table(path: Path, /) -> TableSchema:
    """Read one declaration file.

    Raises ``SchemaError``: a column has an unknown type or an undeclared family.
    """
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    families = tuple(raw.get("families", ()))
    columns = tuple(
        Column(
            name=c["name"],
            type_text=c["type"],
            type=parse_type(c["type"]),
            nullable=c.get("nullable", False),
            unit=c.get("unit", ""),
            doc=c["doc"],
            compression=c.get("compression", ""),
            family=c.get("family", families[-1] if families else ""),
        )
        for c in raw["column"]
    )
    for column in columns:
        if families and column.family not in families:
            raise SchemaError(f"Column {column.name!r} is of no known family: {column.family!r}.")
    return TableSchema(raw["name"], raw["version"], raw["doc"], columns, families)


@functools.cache
def table(name: str, /, *, version: int = SCHEMA_VERSION) -> TableSchema:
    """Return the declared table *name*.

    Raises ``SchemaError``: the table is unknown; the error lists the known ones.
    """
    folder = resource_dir("schemas") / f"v{version}"
    path = folder / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml")))
        raise SchemaError(f"Unknown table {name!r} in schema version {version}; known: {known}.")
    return load_table(path)


def versions() -> tuple[int, ...]:
    """Return the versions of the declarations, oldest first; the last is the present one."""
    return tuple(sorted(int(p.name[1:]) for p in resource_dir("schemas").glob("v*")))


def table_names(*, version: int = SCHEMA_VERSION) -> tuple[str, ...]:
    """Return the names of all declared tables, sorted."""
    return tuple(sorted(p.stem for p in (resource_dir("schemas") / f"v{version}").glob("*.toml")))
