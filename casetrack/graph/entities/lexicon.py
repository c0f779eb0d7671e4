"""Closed lists about names: titles, degrees, legal forms, words that many names share."""

from __future__ import annotations

HONORIFICS: dict[str, str] = dict.fromkeys(
    "dr prof professor rev reverend hon honourable honorable rt judge justice sen senator gov "
    "governor president chairman chairwoman chancellor minister captain capt col colonel gen "
    "general lt maj major sgt sergeant officer detective inspector dipl ing mag attorney rabbi "
    "imam fr father bishop ambassador councillor cllr me maitre mx the".split(),
    "",
)
HONORIFICS |= dict.fromkeys(
    "mr mister sir lord herr herrn monsieur signor senor sr don".split(), "m"
)
HONORIFICS |= dict.fromkeys(
    "mrs ms miss madam dame lady frau fraulein mme mlle madame mademoiselle signora senora sra "
    "sister baroness".split(),
    "f",
)
"""Words before a name of a person, folded, each with the gender that it states."""

DEGREES = frozenset(
    "phd md dphil esq esquire qc kc sc mba msc bsc ba ma llm llb lld jd cpa cfa fca aca acca dds "
    "rn pe peng ceng obe mbe cbe kbe dbe mp frcs frics mrics riba pmp cissp phil".split()
)
"""Letters behind a name of a person, without their full stops."""

SAFE_DEGREES = DEGREES - set("ma ba md sc pe mp rn phil jd".split())
"""Those that no surname is written like."""

SUFFIXES = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii"}
SUFFIXES |= {"iv": "iv", "jnr": "jr", "snr": "sr"}
"""What tells the generations of a family apart."""

PARTICLES = frozenset(
    "van von vom der den de da di del della du la le lo el bin ibn ter ten zu zum zur dos af av "
    "des ap ben abu".split()
)
"""Words that belong to the surname behind them."""

PLACED = "(place)"
"""Counted with the roles of a document's entity, though it is none: a name stands as towns do."""

_FORMS = {
    "ltd": "ltd|limited|ltd company",
    "inc": "inc|incorporated",
    "corp": "corp|corporation",
    "co": "co|company|cie|cia|compania",
    "co-ltd": "co ltd|co limited|company ltd|company limited",
    "co-inc": "co inc|company inc|company incorporated",
    "pty-ltd": "pty ltd|pty limited|proprietary limited|proprietary ltd|pty",
    "pte-ltd": "pte ltd|pte limited|pte|private limited|pvt ltd|pvt limited|private ltd|p ltd",
    "llc": "llc|limited liability company|limited liability co|lc|l l c",
    "llp": "llp|limited liability partnership|l l p",
    "lllp": "lllp",
    "lp": "lp|limited partnership|l p",
    "plc": "plc|public limited company|public limited co|p l c",
    "dac": "dac|designated activity company",
    "clg": "clg|company limited by guarantee",
    "ulc": "ulc|unlimited liability company",
    "pllc": "pllc",
    "pc": "pc|professional corporation",
    "na": "na|national association|n a",
    "cic": "cic|community interest company",
    "gmbh": "gmbh|mbh|gesellschaft mit beschrankter haftung|ggmbh|gesmbh",
    "gmbh-co-kg": "gmbh and co kg|gmbh co kg|gmbh and cie kg|gmbh and co|mbh and co kg|"
    "gmbh und co kg|gmbh und co",
    "ag-co-kg": "ag and co kg|ag und co kg",
    "ag": "ag|aktiengesellschaft",
    "kg": "kg|kommanditgesellschaft",
    "kgaa": "kgaa|ag and co kgaa|se and co kgaa|gmbh and co kgaa",
    "ohg": "ohg|offene handelsgesellschaft",
    "ug": "ug|ug haftungsbeschrankt",
    "gbr": "gbr|gesellschaft burgerlichen rechts",
    "eg": "eg|eingetragene genossenschaft",
    "ek": "ek|eingetragener kaufmann",
    "ev": "ev|eingetragener verein",
    "se": "se|societas europaea",
    "sa": "sa|s a|societe anonyme|sociedad anonima|sociedade anonima",
    "sas": "sas|sasu|societe par actions simplifiee|sociedad por acciones simplificada",
    "sarl": "sarl|sa rl|eurl|societe a responsabilite limitee",
    "snc": "snc|societe en nom collectif",
    "sci": "sci|societe civile immobiliere",
    "gie": "gie",
    "spa": "spa|s p a|societa per azioni",
    "srl": "srl|s r l|societa a responsabilita limitata|sociedad de responsabilidad limitada",
    "sca": "sca|societe en commandite par actions",
    "scs": "scs|sicav",
    "bv": "bv|b v|besloten vennootschap",
    "bvba": "bvba|sprl",
    "nv": "nv|n v|naamloze vennootschap|nv sa|sa nv",
    "vof": "vof",
    "ab": "ab|aktiebolag",
    "asa": "asa|allmennaksjeselskap",
    "as": "as|a s|aksjeselskap|aktieselskab",
    "aps": "aps|anpartsselskab",
    "oy": "oy|ab oy|oy ab|osakeyhtio",
    "oyj": "oyj|abp",
    "hf": "ehf",
    "ou": "ou",
    "uab": "uab",
    "sia": "sia",
    "ood": "ood|eood",
    "sp-zoo": "sp z oo|sp zoo|spolka z oo|spolka z ograniczona odpowiedzialnoscia",
    "sro": "sro|s r o|spol s ro",
    "kft": "kft",
    "zrt": "zrt|nyrt",
    "doo": "doo|d o o",
    "ltda": "ltda|limitada|lda|unipessoal lda",
    "eireli": "eireli",
    "sl": "sl|slu|sociedad limitada",
    "sa-de-cv": "sa de cv|sab de cv",
    "s-de-rl": "s de rl de cv|s de rl",
    "sdn-bhd": "sdn bhd|sendirian berhad",
    "bhd": "bhd|berhad",
    "pt": "persero",
    "tbk": "tbk",
    "kk": "kk|kabushiki kaisha|kabushiki gaisha",
    "gk": "godo kaisha",
    "jsc": "jsc|ojsc|pjsc|cjsc|joint stock company",
    "ooo": "ooo",
    "fzco": "fzco|fze|fz llc|fzc|dmcc",
    "wll": "wll",
    "ltd-sti": "ltd sti",
}
LEGAL_FORMS: dict[tuple[str, ...], str] = {
    tuple(written.split()): family for family, all_ in _FORMS.items() for written in all_.split("|")
}
"""The words of a legal form, folded, and the family that they belong to."""

FORMS_BEFORE = {"pt": "pt", "ooo": "ooo", "oao": "jsc", "zao": "jsc", "pao": "jsc", "ao": "jsc"}
"""Legal forms that stand before the name, folded; in capitals only."""

SHORT_FORMS = frozenset(f[0] for f in LEGAL_FORMS if len(f) == 1 and len(f[0]) <= 3) - frozenset(
    "ltd inc plc llc llp oyj srl sro doo zrt kft".split()
)
"""Those that may be a word of their own: they count in capitals only (or as ``Co``)."""

LONGEST_FORM = max(map(len, LEGAL_FORMS))

COMMON_FIRST_WORDS = frozenset(
    "advanced african allied all american americas applied arab asia asian associated atlantic "
    "australian austrian bank best big blue board brazil british business canada canadian capital "
    "central china chinese church citizens city civil college commercial commission committee "
    "commonwealth community computer consolidated consumer continental corporate council county "
    "court credit customer data department deutsche development digital direct district division "
    "dutch eastern east economic electric electronic energy engineering enterprise environmental "
    "equity euro europe european exchange executive express federal federation financial finance "
    "first food foreign foundation france free french fund future gas general german germany "
    "global golden government grand great green group health high hong holy home hospital house "
    "human imperial independent india indian industrial industries information institute "
    "insurance integrated international internal investment irish israel italian japan japanese "
    "joint justice kingdom king labor labour law legal life local london lower management marine "
    "maritime market media medical metropolitan middle ministry modern municipal music mutual "
    "nation national natural network new news next nord north northern nuclear office oil old one "
    "open optical oregon organic organization pacific park partner partners party pacific paper "
    "people petroleum pharmaceutical polish port power premier president press prime private "
    "professional project public quality queen radio rail railway real red regional registrar "
    "republic research reserve retail royal russian safe saint san science scientific sea second "
    "secretary securities security senate service services silver smart social society software "
    "solar solutions south southern spanish special sports standard star state states steel "
    "studio sun super supply supreme swiss system systems tax team technical technology "
    "technologies texas the third total trade trading transport travel treasury trust turkish "
    "union united universal university upper urban us usa value video virtual vital water web "
    "welfare west western white wireless women wood world york young youth zentral".split()
)
"""First words that so many organisations share that alone they name none of them."""

FREQUENT_SURNAMES = frozenset(
    "smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez "
    "gonzalez wilson anderson thomas taylor moore jackson martin lee perez thompson white harris "
    "sanchez clark ramirez lewis robinson walker young allen king wright scott torres nguyen hill "
    "flores green adams nelson baker hall rivera campbell mitchell carter roberts evans davies "
    "hughes edwards phillips turner parker collins stewart morris murphy cook rogers morgan cooper "
    "reed bailey bell kelly howard ward cox richardson wood watson brooks bennett gray james "
    "price myers long ross foster patel khan singh kumar shah ali ahmed hussain kim park choi "
    "wang li zhang liu chen yang huang zhao wu zhou xu tran le pham muller schmidt schneider "
    "fischer weber meyer wagner becker schulz hoffmann schafer koch bauer richter klein wolf "
    "bernard dubois durand moreau laurent simon michel lefebvre leroy roux david bertrand "
    "fernandez gomez diaz moreno ruiz alvarez romero silva santos oliveira souza pereira costa "
    "ferreira rossi russo ferrari esposito bianchi nagy kovacs toth szabo horvath".split()
)
"""Surnames of so many people that two who share a given name too are often two."""

_MALE = (
    "adam alan albert alexander alfred andrew anthony antonio arthur benjamin bernd bernhard bill "
    "bob brian bruce carl carlos charles christian christopher colin craig daniel david dennis "
    "derek dieter dietmar donald douglas edward eric ernst francis francisco frank franz fred "
    "frederick friedrich gary geoffrey george gerald gerhard giovanni giuseppe gordon graham "
    "gregory gunter guy hans harold harry heinrich heinz helmut henri henry herbert hermann horst "
    "howard hugh ian ivan jack jacob jacques james jason jean jeffrey jeremy jim joachim joe "
    "johann johannes john jonathan jorge jose josef joseph joshua juan jurgen justin karl keith "
    "kenneth kevin klaus kurt lars lawrence leonard louis luis luke malcolm manfred marc marco "
    "mario mark markus martin matthew matthias max michael miguel mohammed muhammad neil nicholas "
    "nigel norbert norman oliver oscar otto pablo patrick paul pedro peter philip pierre rainer "
    "ralf ralph raymond reinhard richard robert roger roland ronald roy rudolf russell samuel "
    "scott sebastian simon stefan stephen steven stuart terence theodore thomas thorsten tim "
    "timothy tom tony uwe victor vincent walter werner wilhelm william wolfgang"
)
_FEMALE = (
    "adele agnes alice alison amanda amy andrea angela anita ann anna anne annette barbara "
    "beatrice bernadette bettina birgit brenda brigitte carla carmen carol caroline catherine "
    "cecilia charlotte christina christine claire claudia cornelia deborah denise diana diane "
    "dolores donna doris dorothy edith eleanor elena elisabeth elizabeth ellen emily emma erika "
    "esther eva eve fiona florence frances gabriele gail geraldine gertrud gisela grace greta "
    "hannah harriet heather heidi helen helena helga henrietta hilary hildegard ingrid irene "
    "isabel isabella jacqueline jane janet janice jasmine jennifer jessica joan joanna josephine "
    "joyce judith julia julie karen karin katharina katherine kathleen katrin laura lauren leonie "
    "linda lisa louise lucy lydia madeleine margaret maria marianne marie martha martina mary "
    "matilda melanie melissa michelle miriam monica monika nadine nancy natalie nicole nina olga "
    "olivia pamela patricia paula pauline penelope petra rachel rebecca renate rita rosa rosemary "
    "ruth sabine sandra sarah sharon sheila silvia sonia sophia sophie stella stephanie susan "
    "susanne sylvia tanja teresa theresa ulrike ursula valerie vanessa vera veronica victoria "
    "virginia wendy yvonne"
)
GIVEN_NAMES: dict[str, str] = dict.fromkeys(_MALE.split(), "m") | dict.fromkeys(
    _FEMALE.split(), "f"
)
"""Given names that are one gender's nearly everywhere: used to keep people apart, never to join."""
