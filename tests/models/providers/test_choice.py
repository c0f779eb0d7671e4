"""The chosen service, its notes, and no requests without a choice."""

from __future__ import annotations

import pytest

from casetrack.base.config import Providers, ProviderSettings, Settings, load_settings
from casetrack.base.errors import UsageError
from casetrack.models import providers
from casetrack.models.providers.transport import Address


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("OPENAI_BASE_URL", "OLLAMA_HOST", "OPENAI_API_KEY", "CASETRACK_MEMORY_MODE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def settings(tmp_path):
    """Settings with the given provider settings."""

    def build(**given: ProviderSettings) -> Settings:
        return Settings(tmp_path, tmp_path, providers=Providers(**given))

    return build


@pytest.mark.parametrize("chosen", [None, "mini", "ollama", ""])
def test_openai_does_not_work_unless_it_was_chosen(chosen, settings, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-there")
    with pytest.raises(UsageError, match="openai") as caught:
        providers.make("openai", settings(), chosen_as=chosen)
    assert "https://api.openai.com/v1" in caught.value.message
    assert "openai" in caught.value.hint
    assert providers.make("openai", settings(), chosen_as="openai").name == "openai"


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (ProviderSettings(), False),
        (ProviderSettings(url="http://models.example"), True),
        (ProviderSettings(model="big:120b-cloud"), True),
    ],
)
def test_ollama_needs_the_choice_where_texts_leave(given, refused, settings):
    if refused:
        with pytest.raises(UsageError, match="ollama"):
            providers.make("ollama", settings(ollama=given))
    else:
        assert providers.make("ollama", settings(ollama=given)).name == "ollama"


def test_an_unknown_provider_names_the_known(settings):
    with pytest.raises(UsageError, match="'other'") as caught:
        providers.make("other", settings())
    assert "openai, ollama" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "given", "host"),
    [
        ("openai", ProviderSettings(), "api.openai.com"),
        ("openai", ProviderSettings(url="http://localhost:8000/v1"), None),
        ("openai", ProviderSettings(url="http://gpu.lan:8000/v1"), "gpu.lan:8000"),
        ("ollama", ProviderSettings(), None),
        ("ollama", ProviderSettings(url="http://[::1]:11434"), None),
        ("ollama", ProviderSettings(url="192.168.1.7"), "192.168.1.7:11434"),
        ("ollama", ProviderSettings(model="gpt-oss:120b-cloud"), "ollama.com"),
        ("ollama", ProviderSettings(model="glm:cloud"), "ollama.com"),
    ],
)
def test_notice_and_description_say_plainly_where_texts_go(name, given, host, settings):
    message = settings(**{name: given})
    notice, described = providers.notice(name, message), providers.describe(name, message)
    assert (notice is None) == (host is None)
    if host is not None:
        assert "\n" not in notice
        assert host in notice
        assert host in described


@pytest.mark.parametrize("profile", ["mini", "standard", "legal"])
def test_profiles_of_embedded_models_have_no_notice(profile, settings):
    assert providers.notice(profile, settings()) is None


def test_the_environment_goes_before_the_file(tmp_path, monkeypatch):
    (tmp_path / "config.toml").write_text(
        '[providers.openai]\nbase_url = "https://file.example/v1"\nmodel = "m"\ndimensions = 8\n'
        '[providers.ollama]\nhost = "http://file.example:1"\ntimeout_seconds = 9\n'
    )
    message = load_settings(tmp_path)
    assert message.providers.openai == ProviderSettings("https://file.example/v1", "m", 8)
    assert "file.example" in providers.describe("openai", message)
    assert "file.example:1" in providers.describe("ollama", message)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://environment.example/v1")
    monkeypatch.setenv("OLLAMA_HOST", "environment.example")
    assert "environment.example/v1" in providers.describe("openai", message)
    assert "environment.example:11434" in providers.describe("ollama", message)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[providers.openai]\napi_key = "sk-secret"', "api_key"),
        ("[providers.openai]\ndimensions = 0", "dimensions"),
        ('[providers.openai]\nhost = "x"', "providers.openai.'host'"),
        ("[providers.ollama]\nmodel = 3", "model"),
        ("[providers.other]", "'other'"),
        ("providers = 3", "providers"),
        ("[providers]\nopenai = 3", "openai"),
    ],
)
def test_wrong_settings_are_named_without_secrets(text, named, tmp_path):
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path)
    assert named in str(caught.value)
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("127.0.0.1:4000", "http://127.0.0.1:4000"),
        ("localhost", "http://localhost:11434"),
        ('"0.0.0.0"', "http://127.0.0.1:11434"),
        ("0.0.0.0:4000", "http://127.0.0.1:4000"),
        ("::", "http://[::1]:11434"),
        ("[::1]:4000", "http://[::1]:4000"),
        ("http://models.example", "http://models.example"),
        ("https://models.example/sub/", "https://models.example/sub"),
    ],
)
def test_addresses_are_read_as_ollama_reads_them(text, url):
    assert str(Address.parse(text, "OLLAMA_HOST", bare_port=11434)) == url


@pytest.mark.parametrize(
    "text", ["", "ftp://x", "http://", "http://x:99999", "x", "https://x/v1?key=1", "http://[::1"]
)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(UsageError, match="SOME_URL"):
        Address.parse(text, "SOME_URL")


def test_passwords_in_addresses_are_refused_and_not_quoted():
    with pytest.raises(UsageError, match="SOME_URL") as caught:
        Address.parse("https://me:secret@x.example", "SOME_URL")
    assert "secret" not in str(caught.value)
