"""Entities over documents: joined and separate ones, and their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.graph.entities.merge import Merged, merge

if TYPE_CHECKING:
    import random


def counted(what: str) -> pa.DataType:
    return pa.list_(pa.struct([(what, pa.string()), ("count", pa.int32())]))


_TEXTS = dict.fromkeys(("document_id", "kind", "key", "name", "first_chunk_id"), pa.string())
_NUMBERS = dict.fromkeys(("document_rank", "mention_count", "chunk_count"), pa.int32())
_COUNTS = {"spellings": counted("text"), "roles": counted("role"), "evidence": counted("kind")}
_LISTS = dict.fromkeys(("addresses", "defined"), pa.list_(pa.string()))
LOCALS = pa.schema([*(_TEXTS | _NUMBERS | _COUNTS | _LISTS).items()])


def local(document: int, entity: str, /, **fields: Any) -> dict[str, Any]:
    """Return the row of an entity of one document: ``local(0, "person:john-smith")``."""
    kind, _, key = entity.partition(":")
    count = fields.get("mention_count", 1)
    name = fields.get("name", key.replace("-", " ").title() if kind != "concept" else key)
    of = {"document_id": f"d{document:05}", "document_rank": document, "kind": kind, "key": key}
    of |= {"name": name, "first_chunk_id": f"d{document:05}-c0"}
    counts = {"spellings": {name: count}, "mention_count": count, "chunk_count": 1}
    known: dict[str, Any] = (
        of | counts | {"roles": {}, "evidence": {}, "addresses": [], "defined": []}
    )
    row = known | fields
    row["spellings"] = [{"text": t, "count": n} for t, n in row["spellings"].items()]
    row["roles"] = [{"role": r, "count": n} for r, n in row["roles"].items()]
    row["evidence"] = [{"kind": k, "count": n} for k, n in row["evidence"].items()]
    return row


def merged(*rows: dict[str, Any]) -> Merged:
    return merge(pa.Table.from_pylist(list(rows), schema=LOCALS))


def groups(*rows: dict[str, Any]) -> list[str | None]:
    """Return the id of the entity of each row."""
    result = merged(*rows)
    ids = result.entities["entity_id"].to_pylist()
    return [ids[c] if c >= 0 else None for c in result.codes.tolist()]


# The last value is the expected entity.
JOINED = """
person:adaeze-okafor person:adaeze-okafor person:adaeze-okafor
person:john-smith person:john-a-smith person:john-a-smith
person:john-a-smith person:john-albert-smith person:john-smith person:john-albert-smith
organization:acme-plc organization:acme organization:acme-plc
organization:acme-foods organization:acme-foods-gmbh-co-kg organization:acme-foods-gmbh-co-kg
location:united-states location:united-states location:united-states
date:2024-03-12 date:2024-03-12 date:2024-03-12
amount:GBP:318400 amount:GBP:318400 amount:GBP:318400
"""


@pytest.mark.parametrize("line", JOINED.strip().splitlines())
def test_one_entity_over_documents(line: str) -> None:
    *entities, entity_id = line.split()
    rows = [local(i, e) for i, e in enumerate(entities)]
    assert groups(*rows) == [entity_id] * len(rows)
    assert merged(*rows).entities["document_count"].to_pylist() == [len(rows)]


def test_a_name_in_two_orders_has_its_given_name_first() -> None:
    rows = [
        local(i, f"person:{key}", mention_count=2)
        for i, key in enumerate(["oakwood-jeff", "jeff-oakwood"])
    ]
    rows[0]["name"], rows[1]["name"] = "Oakwood Jeff", "Jeff Oakwood"
    assert merged(*rows).entities["name"].to_pylist() == ["Jeff Oakwood"]


APART = """
person:smith person:john-smith | person:j-smith person:john-smith
person:mr-smith person:john-smith | person:john-a-smith person:john-b-smith
person:john-a-smith person:john-b-smith person:john-smith
person:john-smith-jr person:john-smith-sr person:john-smith
person:jane-smith person:john-smith | person:john-smithjones person:john-jones
person:ludwig-van-berg person:ludwig-berg | person:john-smith-2 person:john-smith
organization:acme-ltd organization:acme-gmbh
organization:acme-ltd organization:acme-gmbh organization:acme
organization:acme-plc organization:acme organization:acme-foods-ltd
organization:wrc organization:world-rowing-congress
organization:seaforth-shipping organization:seaforth-shipping-asia-ltd
organization:kestrel-fund-ii-lp organization:kestrel-fund-iii-lp
organization:brackenfell organization:brackenfell-foods-plc
location:paris location:paris-texas | person:jordan location:jordan
amount:GBP:5 amount:dollar:5
"""


@pytest.mark.parametrize("line", APART.strip().replace(" | ", "\n").splitlines())
def test_kept_apart_over_documents(line: str) -> None:
    entities = line.split()
    assert groups(*(local(i, e) for i, e in enumerate(entities))) == entities


def test_titles_of_two_genders_are_two_people() -> None:
    rows = [
        local(0, "person:robin-gray", spellings={"Mr Robin Gray": 2, "Robin Gray": 1}),
        local(1, "person:robin-gray", spellings={"Ms Robin Gray": 2}),
        local(2, "person:robin-gray", spellings={"Robin Gray": 2}),
        local(3, "person:robin-gray", spellings={"Mr. Gray": 1}),
    ]
    mr, ms, plain = "person:mr-robin-gray", "person:ms-robin-gray", "person:robin-gray"
    assert groups(*rows) == [mr, ms, plain, mr]


@pytest.mark.parametrize(
    ("mentions", "ids"),
    [
        ((6, 2), ["organization:tidewell", "organization:tidewell"]),
        ((5, 2), ["organization:tidewell", "person:tidewell"]),
        ((90, 3), ["organization:tidewell", "person:tidewell"]),
    ],
)
def test_a_slip_of_the_kind_goes_with_the_many(mentions: tuple[int, int], ids: list[str]) -> None:
    many, few = mentions
    rows = (
        local(0, "organization:tidewell", mention_count=many),
        local(1, "person:tidewell", mention_count=few),
    )
    assert groups(*rows) == ids


def test_name_aliases_role_and_first_place() -> None:
    text = {"spellings": {"John Smith": 9, "SMITH": 1}, "roles": {"director": 2, "chair": 2}}
    table = merged(
        local(1, "person:john-smith", name="John Smith", mention_count=10, chunk_count=4, **text),
        local(2, "person:john-a-smith", name="John A. Smith", mention_count=2),
        local(0, "person:john-smith", name="JOHN SMITH", mention_count=3),
    ).entities
    assert table.to_pylist() == [
        {
            "entity_id": "person:john-a-smith",
            "kind": "person",
            "name": "John A. Smith",
            "aliases": ["John Smith", "JOHN SMITH", "SMITH"],
            "mention_count": 15,
            "chunk_count": 6,
            "document_count": 3,
            "role": "chair",
            "first_document_id": "d00000",
            "first_chunk_id": "d00000-c0",
            "edited_by_user": False,
        }
    ]


def test_aliases_are_bounded() -> None:
    spellings = {f"Name {i:03}": 100 - i for i in range(60)}
    (aliases,) = merged(local(0, "person:x-y", spellings=spellings)).entities["aliases"].to_pylist()
    assert aliases == [f"Name {i:03}" for i in range(20)]


def test_concepts_of_nearly_every_document_set_nothing_apart() -> None:
    rows = [local(i, "concept:due date", mention_count=5) for i in range(8)]
    rows += [local(i, "concept:defrost valve", mention_count=2) for i in range(3)]
    rows += [local(9, "concept:cold store", mention_count=3), local(8, "location:leeds")]
    ids = groups(*rows)
    assert ids[:8] == [None] * 8
    assert ids[8:] == ["concept:defrost valve"] * 3 + ["concept:cold store", "location:leeds"]


def test_a_small_collection_keeps_what_all_say() -> None:
    rows = [local(i, "concept:due date", mention_count=5) for i in range(3)]
    assert groups(*rows) == ["concept:due date"] * 3


def test_single_places_count_only_where_there_is_little_else() -> None:
    few = [local(0, "concept:cold store", mention_count=2), local(0, "concept:odd camel")]
    assert groups(*few) == ["concept:cold store", "concept:odd camel"]
    many = [local(0, f"concept:cold store {i}x", mention_count=2) for i in range(30)]
    assert groups(*many, local(0, "concept:odd camel"))[-1] is None


def test_a_name_of_the_collection_is_no_concept() -> None:
    rows = [
        local(0, "organization:cold-harbour-ltd"),
        local(1, "concept:cold harbour", mention_count=9),
    ]
    assert groups(*rows) == ["organization:cold-harbour-ltd", None]


def test_concepts_are_bounded() -> None:
    rows = [local(0, f"concept:word{i} thing", mention_count=2 + i % 7) for i in range(2500)]
    assert sum(i is not None for i in groups(*rows)) == 2000


PERSON = st.sampled_from(
    "john-smith john-a-smith john-b-smith john-albert-smith j-smith smith mr-smith jane-smith "
    "john-smith-jr ms-smith john-c-d-smith".split()
)
ORGANIZATION = st.sampled_from("acme acme-ltd acme-gmbh acme-foods acme-foods-plc wto".split())
ENTITY = st.one_of(
    PERSON.map(lambda k: f"person:{k}"),
    ORGANIZATION.map(lambda k: f"organization:{k}"),
    st.sampled_from(["location:acme", "concept:cold store", "concept:acme", "date:2024"]),
)
TITLES = st.sampled_from([{}, {"Mr John Smith": 1}, {"Ms Smith": 1}, {"SMITH": 2, "Smith": 1}])
ROWS = st.lists(
    st.tuples(st.integers(0, 3), ENTITY, st.integers(1, 9), TITLES),
    max_size=14,
    unique_by=lambda r: r[:2],
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_count(rows: list[Any], rng: random.Random) -> None:
    made = [local(d, e, mention_count=n, spellings=s or {e: n}) for d, e, n, s in rows]
    shuffled = list(range(len(made)))
    rng.shuffle(shuffled)
    one = merged(*made)
    other = merged(*(made[i] for i in shuffled))
    assert one.entities.equals(other.entities)
    assert one.codes[shuffled].tolist() == other.codes.tolist()
    ids = one.entities["entity_id"].to_pylist()
    assert len(set(ids)) == len(ids)
    counted = one.entities["mention_count"].to_pylist()
    live = [r["mention_count"] for r, c in zip(made, one.codes, strict=True) if c >= 0]
    assert sum(counted) == sum(live)
