"""A step of a package must add its declared columns, with the words of the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from casetrack.base import schema
from casetrack.base.errors import StepFailed
from casetrack.ingest.pipeline.catalogue import PackagedStep, check_offered
from casetrack.ingest.steps import Contract

if TYPE_CHECKING:
    from casetrack.ingest.steps import Batches

SPAN = dict.fromkeys(("type", "key", "name", "relationship"), "case") | {
    "resolved": True,
    "confidence": 1.0,
}
FIELD = schema.table("chunks").arrow(["citations"]).field(0)


@dataclass(frozen=True)
class Citing:
    """Finds one place in every text."""

    start: int = 0
    text: str = "See"
    contract = Contract("citing", 1, "chunks", "chunks", ("text",), ("citations",))

    def __call__(self, batches: Batches, /) -> Batches:
        for batch in batches:
            place = {"start": self.start, "end": self.start + 3, "text": self.text} | SPAN
            yield batch.append_column(FIELD, pa.array([[place]] * batch.num_rows, FIELD.type))


def run(step: Any) -> list[pa.RecordBatch]:
    batch = pa.RecordBatch.from_pydict({"text": ["See 4.", "See 5."], "page": [1, 2]})
    return list(PackagedStep(step, "a-package", {})(iter([batch, batch])))


def test_places_must_be_those_of_their_words() -> None:
    check_offered("citing", Citing)
    assert [b.num_rows for b in run(Citing())] == [2, 2]
    with pytest.raises(StepFailed, match=r"'See'.* 'citations'.* 1-4"):
        run(Citing(start=1))


def test_an_error_before_the_step_is_not_its_own() -> None:
    def torn() -> Batches:
        yield pa.RecordBatch.from_pydict({"text": ["See 4."]})
        raise OSError("torn")

    with pytest.raises(OSError, match="torn"):
        list(PackagedStep(Citing(), "a-package", {})(torn()))


@pytest.mark.parametrize(
    ("contract", "problem"),
    [
        (Contract("other", 1, "chunks", "chunks", (), ("labels",)), "'citing'"),
        (Contract("citing", 1, "pages", "chunks", (), ("labels",)), "pages"),
        (Contract("citing", 1, "files", "files", (), ("path",)), "pages.*chunks"),
        (Contract("citing", 1, "chunks", "chunks", (), ("mood",)), "'mood'"),
    ],
)
def test_what_a_step_may_declare(contract: Contract, problem: str) -> None:
    @dataclass(frozen=True)
    class Other(Citing):
        """As above, declared in another way."""

    Other.contract = contract
    with pytest.raises(Exception, match=problem):
        check_offered("citing", Other)
