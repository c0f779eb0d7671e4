"""Profiles are loaded once, shared, and unloaded as the memory mode wants it."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from casetrack.base.config import load_settings
from casetrack.base.errors import ModelNotFound, ProviderError
from casetrack.models.base import Encoding
from casetrack.models.encoders import Encoders
from casetrack.models.memory import Memory, MemoryPlan, choose_plan

MB = 1 << 20


class Fake:
    """A profile that counts its loads and has weights of a given size."""

    def __init__(self, name: str, size: int, *, sparse: bool = False) -> None:
        self.name, self.size, self.has_sparse, self.reranker = name, size, sparse, None
        self.fingerprint, self.dimension, self.token_width = f"{name:0>16}", 2, None
        self.resident_bytes = 0
        self.loads = self.unloads = self.calls = 0
        self.gate: threading.Event | None = None
        self.entered = threading.Event()

    def encode_query(self, text: str, /) -> Encoding:
        self._load()
        self.entered.set()
        if self.gate is not None:
            assert self.gate.wait(60)
        return self._encoding(text)

    def encode_documents(self, texts, /, *, layers=()):
        for text in texts:
            self._load()
            yield self._encoding(text)

    def unload(self) -> None:
        self.unloads += bool(self.resident_bytes)
        self.resident_bytes = 0

    def _load(self) -> None:
        self.loads += not self.resident_bytes
        self.resident_bytes = self.size

    def _encoding(self, text: str) -> Encoding:
        self.calls += 1
        if text == "bad":
            raise ValueError("bad text")
        return Encoding(np.ones(2, np.float32), None, None)


class Parts(Fake):
    """A profile that can let go of all models but the dense one."""

    trims = 0

    def trim(self) -> None:
        self.trims += 1
        self.resident_bytes = min(self.resident_bytes, 10 * MB)


class Machine:
    """Profiles of a fake models folder on a machine whose available memory can be set."""

    def __init__(self, tmp_path, plan: MemoryPlan, *fakes: Fake):
        self.free = 100 << 30
        self.fakes = {fake.name: fake for fake in fakes}
        self.encoders = Encoders(tmp_path, plan=plan, load=self.open, available=lambda: self.free)

    def open(self, models_dir, name, sessions, threads):
        if name not in self.fakes:
            raise ModelNotFound(name, models_dir)
        return self.fakes[name]

    def ask(self, *names: str) -> None:
        for name in names:
            self.encoders.get(name).encode_query("rent")

    @property
    def loaded(self) -> tuple[str, ...]:
        return self.encoders.loaded


@pytest.fixture
def machine(tmp_path):
    """Make a machine with four profiles of 100, 200, 300 and 400 MiB in a memory mode."""

    def build(mode: str, **changes) -> Machine:
        plan = replace(choose_plan(mode, Memory(8 << 30, 4 << 30, limited=False)), **changes)
        fakes = [
            Fake(name, size * MB) for name, size in zip("abcd", (100, 200, 300, 400), strict=True)
        ]
        return Machine(tmp_path, plan, *fakes)

    return build


def test_a_profile_is_opened_once_and_loaded_with_its_first_text(machine):
    on = machine("full")
    first = on.encoders.get("a")
    assert on.encoders.get("a") is first
    assert on.loaded == ()
    assert on.encoders.resident_bytes == 0
    first.encode_query("rent")
    assert on.loaded == ("a",)
    assert on.encoders.resident_bytes == 100 * MB


def test_a_missing_profile_is_asked_for_again_each_time(machine):
    on = machine("full")
    with pytest.raises(ModelNotFound):
        on.encoders.get("new")
    assert on.encoders.get_installed("new") is None
    on.fakes["new"] = Fake("new", MB)
    assert on.encoders.get_installed("new") is not None


def test_full_keeps_everything_until_all_is_unloaded(machine):
    on = machine("full")
    on.free = 0
    on.ask(*"abcdabcd")
    assert on.loaded == tuple("abcd")
    assert [fake.loads for fake in on.fakes.values()] == [1, 1, 1, 1]
    on.encoders.unload()
    assert on.loaded == ()


def test_standard_unloads_what_was_used_longest_ago_above_the_budget(machine):
    on = machine("standard", budget=600 * MB)
    on.ask(*"abc")
    assert on.loaded == tuple("abc")
    on.ask("a", "d")  # 100 + 200 + 300 + 400 would be too much; b and then c go, a was used last
    assert on.loaded == ("a", "d")
    assert on.encoders.resident_bytes == 500 * MB
    on.ask("b")
    assert on.loaded == ("b", "d")
    assert on.fakes["a"].unloads == 1


def test_a_profile_larger_than_the_budget_still_works(machine):
    on = machine("standard", budget=50 * MB)
    on.ask("a", "d", "a")
    assert on.loaded == ("a",)
    assert on.fakes["d"].calls == 1


def test_standard_unloads_others_when_memory_is_low_at_a_load(machine):
    on = machine("standard")
    on.ask(*"abc")
    on.free = 10 * MB
    on.ask("c")
    assert on.loaded == tuple("abc"), "nothing was loaded, so nothing is asked of memory"
    on.ask("d")
    assert on.loaded == ("d",)
    on.free = 100 << 30
    on.ask("a")
    assert on.loaded == ("a", "d")


def test_constrained_has_one_profile_loaded_and_none_when_memory_is_low(machine):
    on = machine("constrained")
    for name in "abca":
        on.ask(name)
        assert on.loaded == (name,)
    on.ask("a")
    assert on.fakes["a"].loads == 2
    on.free = 10 * MB
    on.ask("a")
    assert on.loaded == ()
    on.ask("a")
    assert on.fakes["a"].loads == 3


@pytest.mark.parametrize(("mode", "left"), [("constrained", 10), ("standard", 500), ("full", 500)])
def test_constrained_lets_further_models_go_after_each_call(mode, left, tmp_path):
    plan = choose_plan(mode, Memory(8 << 30, 4 << 30, limited=False))
    parts, whole = Parts("p", 500 * MB, sparse=True), Fake("w", 500 * MB, sparse=True)
    on = Machine(tmp_path, plan, parts, whole)
    on.ask("p")
    assert parts.resident_bytes == left * MB
    on.ask("w")
    assert (whole.resident_bytes == 0) == (mode == "constrained")


@pytest.mark.parametrize("mode", ["standard", "constrained"])
def test_a_pass_of_documents_keeps_its_model_to_its_end(mode, machine):
    on = machine(mode, budget=250 * MB)
    stream = on.encoders.get("a").encode_documents(["one", "two", "three"])
    next(stream)
    on.free = 10 * MB
    on.ask("b", "c")
    assert "a" in on.loaded
    assert len(list(stream)) == 2
    assert on.fakes["a"].loads == 1
    on.free = 100 << 30
    on.ask("d")
    assert on.loaded == ("d",)


@pytest.mark.parametrize("how", ["closed", "failed"])
def test_a_pass_that_ends_early_lets_go_of_its_model(how, machine):
    on = machine("constrained")
    texts = ["one", "bad"] if how == "failed" else ["one", "two"]
    stream = on.encoders.get("a").encode_documents(texts)
    next(stream)
    if how == "closed":
        stream.close()
    else:
        with pytest.raises(ValueError, match="bad text"):
            next(stream)
    on.ask("b")
    assert on.loaded == ("b",)


def test_a_query_keeps_its_model_while_others_load(machine):
    on = machine("constrained")
    slow = on.fakes["a"]
    slow.gate = threading.Event()
    thread = threading.Thread(target=on.ask, args=("a",))
    thread.start()
    assert slow.entered.wait(60)
    on.ask("b")
    on.encoders.unload()
    assert slow.unloads == 0
    slow.gate.set()
    thread.join()
    assert slow.calls == 1
    on.ask("c")
    assert on.loaded == ("c",)


def test_many_threads_at_once_stay_within_the_plan(machine):
    on = machine("standard", budget=500 * MB)
    errors: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for _ in range(50):
                on.ask(name)
                list(on.encoders.get(name).encode_documents(["x", "y"]))
        except BaseException as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcdabcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(fake.calls for fake in on.fakes.values()) == 8 * 50 * 3
    on.ask("d", "a")
    assert on.encoders.resident_bytes <= 500 * MB


@pytest.fixture
def settings(tmp_path, monkeypatch):
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST", "OPENAI_API_KEY", "CASETRACK_MEMORY_MODE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config.toml").write_text(
        'memory_mode = "constrained"\ninference_threads = 2\n[providers.openai]\ndimensions = 512\n'
    )
    return load_settings(tmp_path)


def test_settings_reach_the_plan_and_the_providers(settings):
    encoders = Encoders.of(settings)
    assert encoders.plan.mode == "constrained"
    assert encoders.models_dir == settings.models_dir
    made = encoders.get("openai")
    assert (made.name, made.dimension) == ("openai", 512)
    assert encoders.get("openai") is made
    assert encoders.loaded == ()
    assert encoders.resident_bytes == 0


def test_a_collection_holds_a_provider_to_its_dimension(settings):
    encoders = Encoders.of(settings)
    assert encoders.get("openai", dimension=512).dimension == 512
    with pytest.raises(ProviderError, match=r"\b512\b.*\b1536\b"):
        encoders.get("openai", dimension=1536)


@pytest.mark.parametrize("name", ["mini", "standard", "legal", "OpenAI", "openai "])
def test_nothing_but_its_own_name_leads_to_a_provider(name, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-there")
    opened = []

    def open_profile(models_dir, name, sessions, threads):
        opened.append(name)
        raise ModelNotFound(name, models_dir)

    encoders = Encoders(settings.models_dir, settings=settings, load=open_profile)
    assert encoders.get_installed(name) is None
    assert opened == [name]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["full", "standard", "constrained"])
def test_the_embedded_model_gives_the_same_vectors_in_every_mode(mode, models_dir):
    plan = choose_plan(mode, Memory(8 << 30, 4 << 30, limited=False))
    encoders = Encoders(models_dir, plan=plan, available=lambda: 100 << 30)
    mini = encoders.get("mini")
    assert encoders.loaded == ()
    first = mini.encode_query("notice of termination").dense
    assert encoders.loaded == ("mini",)
    assert encoders.resident_bytes > 10 * MB
    encoders.unload()
    assert encoders.loaded == ()
    again = list(mini.encode_documents(["notice of termination", "rent"]))
    assert again[0].dense.tobytes() == first.tobytes()
    assert encoders.loaded == ("mini",)


def test_beside_another_profile_names_are_looked_for_in_latin_letters_only(models_dir):
    encoders = Encoders(models_dir)
    finder = encoders.names("multilingual")
    passes = []
    mini = encoders.get("mini")
    kept = mini.encode_documents
    mini.encode_documents = lambda texts, **given: passes.append(texts) or kept(texts, **given)
    assert [n.text for n in finder.tag("Signed by John Miller of Acme Corp. in Berlin.", None)]
    assert len(passes) == 1
    assert finder.tag("Подписал Иван Петров, ООО «Ромашка», Москва.", None) == ()
    assert finder.tag(" 12 ", None) == ()
    assert len(passes) == 1


def test_a_profile_of_the_same_pass_needs_no_second_one(models_dir):
    encoders = Encoders(models_dir)
    assert encoders.names("mini-sparse").fingerprint == encoders.names("mini").fingerprint
