"""Tables are declared once; values that do not fit are refused with the column's name."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from casetrack.base import schema
from casetrack.base.errors import SchemaError


def test_every_declared_table_is_documented() -> None:
    assert {"chunks", "documents", "files", "pages"} <= set(schema.table_names())
    for name in schema.table_names():
        table = schema.table(name)
        assert table.name == name
        assert table.doc
        assert all(c.doc for c in table.columns)
        assert len(set(table.names)) == len(table.names)


def test_chunks_have_every_mandatory_source_field() -> None:
    required = {
        *("document_id", "document_name", "document_path", "page", "chunk_index"),
        *("paragraph_start", "paragraph_end", "line_start", "line_end", "char_start", "char_end"),
        *("extraction_method", "ocr_confidence", "created_at", "embedded_at", "sheet_name"),
        *("row_start", "row_end", "column_start", "column_end", "heading_path", "line_boxes"),
        *("language", "embedders"),
    }
    assert required <= set(schema.table("chunks").names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", pa.string()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("list<int32>", pa.list_(pa.int32())),
        ("vector<float32,384>", pa.list_(pa.float32(), 384)),
        ("vector<float32,*>", pa.list_(pa.float32())),
        ("binary", pa.binary()),
        (
            "list<struct<a:int32,b:list<string>>>",
            pa.list_(pa.struct([pa.field("a", pa.int32()), pa.field("b", pa.list_(pa.string()))])),
        ),
    ],
)
def test_types(text: str, expected: pa.DataType) -> None:
    assert schema.parse_type(text) == expected


@pytest.mark.parametrize("text", ["text", "list<>", "list<int32,int32>", "map<a>", "vector<a,b>"])
def test_unknown_types(text: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(text.partition("<")[0])):
        schema.parse_type(text)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"document_id": pa.string()}, "step 'x'.*files.path"),
        ({"document_id": pa.string(), "path": pa.int32()}, "files.path.* int32.* string"),
        ({"document_id": pa.string(), "path": pa.string(), "more": pa.int32()}, "'more'.* 'files'"),
    ],
)
def test_check(columns: dict[str, pa.DataType], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        schema.table("files").check(pa.schema(columns), where="step 'x'")


def test_a_collection_settles_the_length_of_its_vectors() -> None:
    chunks = schema.table("chunks")
    layout = chunks.arrow(["chunk_id", "dense"], dimension=768)
    assert layout.field("dense").type == pa.list_(pa.float32(), 768)
    chunks.check(layout, where="step 'x'", names=["dense"])
    with pytest.raises(SchemaError, match="'dense'"):
        chunks.arrow()
    wrong = pa.schema({"dense": pa.list_(pa.float32())})
    with pytest.raises(SchemaError, match=r"vector<float32,\*>"):
        chunks.check(wrong, where="step 'x'", names=["dense"])


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(SchemaError, match="amounts, authorities, authority_cites, chunks"):
        schema.table("nope")
    with pytest.raises(SchemaError, match=r"'nope'(.|\n)*document_id"):
        schema.table("files").column("nope")
