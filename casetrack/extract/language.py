"""The language of a question.

A question is too short for statistics of letters, and the library that tells the language of
documents takes two seconds to wake up. Where one language alone is written in a script, that is
the language; in Latin and Cyrillic letters the words that only hold a sentence together tell it,
and where they do not, nobody does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BY_SCRIPT = {
    "Greek": "el",
    "Hebrew": "he",
    "Thai": "th",
    "Hangul": "ko",
    "Kana": "ja",
    "Georgian": "ka",
    "Armenian": "hy",
    "Bengali": "bn",
    "Tamil": "ta",
    "Telugu": "te",
    "Devanagari": "hi",
    "Arabic": "ar",
    "Han": "zh",
}
# Words of these languages that hold sentences together, those that ask first. A word that is
# common in two of them says nothing.
_COMMON = {
    "en": "what who when where which how why whose whom is are was were does did do the of and "
    "for with from by has have been be this that these to it its under between may must can shall",
    "de": "was wer wann wo welche welcher welches welchem welchen wie warum wieviel ist sind "
    "wurde wurden der die das den dem des und für mit von zu ein eine einer eines nicht im bei "
    "nach wird werden kann hat wobei wodurch wofür wogegen womit woran worauf worin worüber worum "
    "wovon wovor wozu manche mancher manches viel viele vielen wem wen wessen wohin woher weshalb "
    "wieso haben hatte hatten als auch aus auf oder sich es sein seine seinen ihre ihren diese "
    "dieser dieses zum zur vom beim gibt",
    "fr": "que qui quand où quel quelle quels quelles combien comment pourquoi est sont été le "
    "la les des du et pour avec une un dans sur par au aux cette ce ne pas qu quoi",
    "es": "qué quién quiénes cuándo dónde cuál cuáles cuánto cuánta cuántos cuántas cómo por es "
    "son fue el la los las del y para con una un en se al que está",
    "it": "che chi quando dove quale quali quanto quanta quanti quante come perché è sono il lo "
    "gli le della del dei delle e per con una un di nel nella si al alla",
    "pt": "que quem quando onde qual quais quanto quanta quantos quantas como é são foi os as "
    "do da dos das e para com uma um em no na se ao não",
    "nl": "wat wie wanneer waar welke hoe waarom hoeveel is zijn werd de het een en voor met van "
    "niet op bij naar wordt kan heeft door als",
    "pl": "co kto kiedy gdzie jaki jaka jakie który która które ile jak dlaczego jest są był "
    "była i w na z do nie się przez dla od",
    "tr": "ne kim nerede hangi nasıl niçin neden kaç ve bir bu için ile mi mı mu mü olan olarak",
    "ro": "ce cine când unde care cât câte cum este sunt a fost și în la pentru cu din de pe un o "
    "al ale",
    "vi": "gì ai khi nào đâu bao nhiêu thế của và là có được trong cho với những các một",
    "ru": "что кто когда где какой какая какое какие каким сколько как почему был была были в на "
    "и с не для от по из это",
    "uk": "що хто коли де який яка яке які скільки як чому є був була були в на і з не для від по "
    "із це",
    "bg": "какво кой коя кое кои кога къде колко как защо е са беше в на и с не за от по това",
}
_CALLED = {
    "ar": "Arabic",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hy": "Armenian",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
_OWN_LETTERS = {"de": "\u00e4\u00df", "ru": "\u0451\u044b\u044d", "uk": "\u0456\u0457\u0454\u0491"}
"""Letters that no other of these languages has; a word with one counts half."""
_CAPITALISES_NOUNS = frozenset({"de", "lb"})
_MOST_CAPITALS = 0.6
"""Of words that carry meaning; if more have capitals, the question is written like a heading."""
_WORD = re.compile(r"[^\W\d_]+")


def _lookup() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


_LANGUAGES = _lookup()
_ALSO = frozenset(
    "much many any some each all every other another than then more most less least about am "
    "being could would should might will doing done not no so such very there here just only "
    "me my us our you your i he she they them his her their one both either neither "
    "kind type sort way ways name named call called please tell told give gives given giving show "
    "find found know knows known say says said mention mentioned describe explain "
    "calculate identify summarize summarise specify enumerate elaborate briefly "
    "happen happens happened go goes going went gone come comes came coming get gets got "
    "take takes took taken make makes made making put puts let lets keep keeps kept "
    "want wants wanted need needs needed become becomes became have having "
    "something anything nothing everything somebody someone anybody anyone nobody everybody "
    "somewhere anywhere else side sides thing things "
    "far long soon often early late later first last again ever never always still already yet "
    "how's what's who's over before during until after against about without within "
    "exactly actually really even too quite rather instead whether because though although "
    "war waren am man "
    "чем чего кого кому ком за о об к ко из у или же ли бы их его её эта этот эти того".split()
)


def is_structural(word: str, /) -> bool:
    """Say whether a word only holds sentences together or asks, and names nothing itself."""
    lower = word.lower()
    return lower in _LANGUAGES or lower in _ALSO


def capitals_mark_names(words: Sequence[str], language: str | None, /) -> bool:
    """Return whether capitals tell names from other words in a question with these words."""
    carrying = [word for word in words if not is_structural(word)]
    capitals = sum(word[0].isupper() for word in carrying)
    is_heading = capitals > 2 and capitals > _MOST_CAPITALS * len(carrying)
    is_shouted = all(word.isupper() for word in words if word.isalpha())
    return language not in _CAPITALISES_NOUNS and not is_heading and not is_shouted


def called(language: str, /) -> str:
    """Return what English calls a language, or its code where this does not know it."""
    return _CALLED.get(language, language)


def language_of(text: str, script: str | None, /) -> str | None:
    """Return the ISO 639-1 code of the language, where its script or its words tell it."""
    if script in _BY_SCRIPT:
        return _BY_SCRIPT[script]
    points: dict[str, float] = {}
    for word in _WORD.findall(text.lower()):
        languages = _LANGUAGES.get(word, ())
        for language in languages:
            points[language] = points.get(language, 0.0) + 1 / len(languages)
        for language, letters in _OWN_LETTERS.items():
            if not set(word).isdisjoint(letters):
                points[language] = points.get(language, 0.0) + 0.5
    best = sorted(points, key=lambda language: -points[language])
    if not best or (len(best) > 1 and points[best[0]] == points[best[1]]):
        return None
    return best[0]
