"""Currencies: ISO 4217 codes, the signs and the words that people write for them.

A sign or word that belongs to one currency only gives its code; one that several share gives a
plain name ("$" is ``dollar``, "kr" is ``krona/krone``). "£" and "pounds sterling" are ``GBP``:
other countries' pounds carry a letter ("E£").
"""

from __future__ import annotations

from collections import defaultdict

_TABLE = """
AED;dirham;emirati,uae,united arab emirates;Dhs,AED
AFN;afghani;afghan;؋,Af
ALL;lek;albanian;
AMD;dram;armenian;֏
ANG;guilder;antillean,netherlands antillean;NAƒ
AOA;kwanza;angolan;Kz
ARS;peso;argentine,argentinian;AR$,Arg$
AUD;dollar;australian,aussie;A$,AU$,AUD$
AWG;florin;aruban;Afl
AZN;manat;azerbaijani,azerbaijan;₼
BAM;mark;bosnian,convertible;KM
BBD;dollar;barbadian,barbados;Bds$,BBD$
BDT;taka;bangladeshi;৳,Tk
BGN;lev,leva;bulgarian;лв
BHD;dinar;bahraini,bahrain;BD
BIF;franc;burundian,burundi;FBu
BMD;dollar;bermudian,bermuda;BD$
BND;dollar;brunei;B$
BOB;boliviano;bolivian;Bs
BRL;real,reais;brazilian;R$,BRL$
BSD;dollar;bahamian;BSD$
BTN;ngultrum;bhutanese;Nu
BWP;pula;botswana;
BYN;ruble,rouble;belarusian,belarus;Br
BZD;dollar;belize;BZ$
CAD;dollar;canadian;C$,CA$,Can$,CAD$,CDN$,Cdn$
CDF;franc;congolese;FC
CHF;franc;swiss;SFr,Sfr,Fr
CLP;peso;chilean;CLP$,CL$
CNY;yuan,renminbi,rmb,kuai;chinese,china;RMB,CN¥,元,RMB¥
COP;peso;colombian;COL$,CO$
CRC;colon,colón,colones;costa rican;₡
CUP;peso;cuban;$MN
CVE;escudo;cape verdean,cape verde;
CZK;koruna,koruny,korun;czech;Kč
DJF;franc;djiboutian,djibouti;Fdj
DKK;krone,kroner;danish;
DOP;peso;dominican;RD$
DZD;dinar;algerian;DA
EGP;pound;egyptian;E£,£E,LE
ERN;nakfa;eritrean;Nfk
ETB;birr;ethiopian;
EUR;euro;european;€
FJD;dollar;fijian,fiji;FJ$
FKP;pound;falkland islands;FK£
GBP;quid;;£,£stg,GB£,UK£
GEL;lari;georgian;₾
GHS;cedi;ghanaian,ghana;₵,GH₵
GIP;pound;gibraltar;
GMD;dalasi;gambian;
GNF;franc;guinean,guinea;FG
GTQ;quetzal,quetzales;guatemalan;
GYD;dollar;guyanese,guyana;G$,GY$
HKD;dollar;hong kong;HK$,HKD$
HNL;lempira;honduran;
HRK;kuna;croatian;kn
HTG;gourde;haitian;
HUF;forint;hungarian;Ft
IDR;rupiah;indonesian;Rp
ILS;shekel,sheqel,sheqalim;israeli,new israeli;₪,NIS
INR;rupee;indian;₹
IQD;dinar;iraqi;ID
IRR;rial;iranian;
ISK;krona,króna,kronur,krónur;icelandic;
JMD;dollar;jamaican,jamaica;J$
JOD;dinar;jordanian;JD
JPY;yen;japanese;JP¥,円
KES;shilling;kenyan,kenya;KSh,Ksh,KShs
KGS;som;kyrgyz,kyrgyzstani;
KHR;riel;cambodian;៛
KMF;franc;comorian;
KPW;won;north korean;
KRW;won;korean,south korean;₩
KWD;dinar;kuwaiti,kuwait;KD
KYD;dollar;cayman islands,cayman;CI$
KZT;tenge;kazakhstani,kazakh;₸
LAK;kip;lao,laotian;₭
LBP;pound;lebanese;L£
LKR;rupee;sri lankan;SLRs
LRD;dollar;liberian;LD$
LSL;loti,maloti;lesotho;
LYD;dinar;libyan;LD
MAD;dirham;moroccan;
MDL;leu,lei;moldovan;
MGA;ariary;malagasy;
MKD;denar;macedonian;
MMK;kyat;burmese,myanmar;
MNT;tugrik,tögrög,togrog;mongolian;₮
MOP;pataca;macanese,macau;MOP$
MRU;ouguiya;mauritanian;
MUR;rupee;mauritian,mauritius;
MVR;rufiyaa;maldivian;Rf
MWK;kwacha;malawian,malawi;MK
MXN;peso;mexican;MX$,Mex$,MXN$,Mx$
MYR;ringgit;malaysian;RM
MZN;metical,meticais;mozambican;MT
NAD;dollar;namibian,namibia;N$
NGN;naira;nigerian;₦
NIO;cordoba,córdoba;nicaraguan;C$N
NOK;krone,kroner;norwegian;
NPR;rupee;nepalese,nepali;NRs
NZD;dollar;new zealand,kiwi;NZ$,NZD$
OMR;rial;omani;RO
PAB;balboa;panamanian;
PEN;sol,soles;peruvian,nuevo;S/
PGK;kina;papua new guinean,papua new guinea;
PHP;peso;philippine,filipino;₱,PhP
PKR;rupee;pakistani,pakistan;PKRs
PLN;zloty,złoty,zlotys,zlote,złote,złotych,zlotych;polish;zł
PYG;guarani,guaraní;paraguayan;₲
QAR;riyal,rial;qatari,qatar;QR
RON;leu,lei;romanian;
RSD;dinar;serbian;
RUB;ruble,rouble;russian;₽
RWF;franc;rwandan;
SAR;riyal;saudi,saudi arabian;SR
SBD;dollar;solomon islands;SI$
SCR;rupee;seychellois,seychelles;
SDG;pound;sudanese;
SEK;krona,kronor;swedish;
SGD;dollar;singapore,singaporean;S$,SG$,SGD$
SHP;pound;saint helena;
SLE;leone;sierra leonean;
SOS;shilling;somali;
SRD;dollar;surinamese,suriname;
SSP;pound;south sudanese;
SYP;pound;syrian;LS
SZL;lilangeni,emalangeni;swazi;
THB;baht;thai;฿
TJS;somoni;tajikistani,tajik;
TMT;manat;turkmenistani,turkmen,turkmenistan;
TND;dinar;tunisian;DT
TOP;paanga,pa'anga;tongan;T$
TRY;lira,liras,lirasi;turkish;₺,TL
TTD;dollar;trinidad and tobago,trinidadian,trinidad;TT$
TWD;dollar;taiwan,taiwanese,new taiwan;NT$,TW$,NTD$
TZS;shilling;tanzanian;TSh
UAH;hryvnia,hryvnias,hryvni,hryven;ukrainian;₴
UGX;shilling;ugandan,uganda;USh
USD;dollar;us,u.s.,american,united states,u. s.;US$,U.S.$,USD$,US-$
UYU;peso;uruguayan;$U,UY$
UZS;som,soum;uzbekistani,uzbek;
VES;bolivar,bolívar,bolívares,bolivares;venezuelan;Bs.S
VND;dong,đồng,đong;vietnamese;₫
VUV;vatu;vanuatu;
WST;tala;samoan;WS$
XAF;franc;central african cfa,cfa;FCFA
XCD;dollar;east caribbean,eastern caribbean;EC$
XOF;franc;west african cfa;
XPF;franc;cfp;
YER;rial;yemeni;
ZAR;rand;south african;
ZMW;kwacha;zambian,zambia;ZK
ZWL;dollar;zimbabwean,zimbabwe;Z$
BTC;bitcoin;;₿
DEM;deutschmark,deutschemark;german,deutsche;DM
FRF;;french;FF
ITL;;italian;
ESP;peseta;spanish;₧
ATS;schilling;austrian;
IEP;punt;irish;IR£
"""
"""Code; words (others' plurals come from rules); adjectives; signs of this currency alone."""

_PLAIN_WORDS = {
    "mark": "mark",
    "drachma": "drachma",
    "guilder": "guilder",
    "crown": "crown",
    "buck": "dollar",
    "satoshi": "satoshi",
    "ether": "ether",
    "litecoin": "litecoin",
    "cent": "cent",
    "penny": "pence",
    "pennies": "pence",
    "pence": "pence",
    "centavo": "centavo",
    "céntimo": "céntimo",
    "centime": "centime",
    "centimo": "céntimo",
    "kopek": "kopek",
    "kopeck": "kopek",
    "copeck": "kopek",
    "paisa": "paisa",
    "paise": "paisa",
    "jiao": "jiao",
    "mao": "jiao",
    "fen": "fen",
    "öre": "öre/øre",
    "øre": "öre/øre",
    "ore": "öre/øre",
    "grosz": "grosz",
    "groszy": "grosz",
    "haler": "haler",
    "halier": "halier",
    "filler": "filler",
    "satang": "satang",
    "sen": "sen",
    "pfennig": "pfennig",
    "piastre": "piastre",
    "piaster": "piastre",
    "fils": "fils",
    "halala": "halala",
    "agora": "agora",
    "agorot": "agora",
    "kurus": "kuruş",
    "kuruş": "kuruş",
    "stotinka": "stotinka",
    "stotinki": "stotinka",
    "rappen": "rappen",
    "eurocent": "euro cent",
}
_PLAIN_SIGNS = {
    "$": "dollar",
    "¥": "yen/yuan",
    "￥": "yen/yuan",
    "＄": "dollar",
    "￡": "GBP",
    "￦": "KRW",
    "¢": "cent",
    "￠": "cent",
    "₤": "lira/pound",
    "﷼": "rial",
    "₨": "rupee",
    "Rs": "rupee",
    "ƒ": "guilder",
    "kr": "krona/krone",
    "Kr": "krona/krone",
    "R": "ZAR",
    "L": "lempira/leu",
    "Sh": "shilling",
}
_MINOR = {
    "dollar": "cent",
    "EUR": "cent",
    "GBP": "pence",
    "pound": "pence",
    "rupee": "paisa",
    "peso": "centavo",
    "RUB": "kopek",
    "CNY": "jiao",
    "franc": "centime",
    "BRL": "centavo",
    "PLN": "grosz",
    "ZAR": "cent",
    "krona/krone": "öre/øre",
    "jiao": "fen",
}
_SHARED = {"krona": "krona/krone", "krone": "krona/krone", "rouble": "ruble"}
_MORE_PHRASES = {
    "pounds sterling": "GBP",
    "pound sterling": "GBP",
    "sterling": "GBP",
    "british pound": "GBP",
    "british pounds": "GBP",
    "uk pound": "GBP",
    "uk pounds": "GBP",
    "u.k. pounds": "GBP",
    "british pence": "GBP pence",
    "cfa francs": "franc",
    "cfa franc": "franc",
    "us cents": "US cent",
    "us cent": "US cent",
    "u.s. cents": "US cent",
    "euro cents": "euro cent",
    "euro cent": "euro cent",
    "deutsche marks": "DEM",
    "deutsche mark": "DEM",
    "german marks": "DEM",
    "d-marks": "DEM",
    "d-mark": "DEM",
    "french francs": "FRF",
    "french franc": "FRF",
    "belgian francs": "BEF",
    "belgian franc": "BEF",
    "italian lira": "ITL",
    "italian lire": "ITL",
    "lire": "ITL",
    "dutch guilders": "NLG",
    "dutch guilder": "NLG",
    "swedish crowns": "SEK",
    "danish crowns": "DKK",
    "norwegian crowns": "NOK",
    "czech crowns": "CZK",
    "maltese lira": "MTL",
}
_MOST_LIKELY = {"ruble": "RUB", "rouble": "RUB", "lira": "lira", "won": "KRW"}
"""Words that two states share, of which one is meant unless an adjective says otherwise."""
WORD_LIKE_CODES = frozenset(
    "ALL TRY TOP CUP PEN MAD GEL PHP SOS RON BAM COP LAK MOP BOB CAD ANG ARS AMD SAR NAD SHP MUR "
    "PAB ETB BIF KID LEV DOP GIP LSL SLE STN MGA BTN ERN MNT ISK DEM".split()
)
"""Codes that are words, or abbreviations of something else, in capitals."""
WORD_LIKE_NAMES = frozenset(
    "real reais won sol soles mark marks colon crown crowns rand lev lek sen som leone ore para "
    "filler fen mao filler agora kip loti top tala kina dram drams ether fils quid lei leu buck "
    "bucks haler punt pula lari sterling".split()
)
"""Names of money that are also other words: they count only with a number that looks like money."""
LOWER_CODES = frozenset(
    "usd eur gbp jpy cny chf aud cad nzd hkd sgd inr mxn sek nok dkk pln czk huf krw brl zar rub "
    "rmb aed ils thb twd idr myr vnd ngn kes btc".split()
)
"""Codes that people also write in small letters."""


def _plurals(word: str) -> tuple[str, ...]:
    ends = "es" if word.endswith(("s", "x", "ch")) else "s"
    return (word, word + ends)


def _build() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    owners: dict[str, list[str]] = defaultdict(list)
    phrases: dict[str, str] = {}
    signs: dict[str, str] = {}
    codes = set()
    for line in _TABLE.strip().splitlines():
        code, words, adjectives, marks = line.split(";")
        codes.add(code)
        signs.update(dict.fromkeys(filter(None, marks.split(",")), code))
        for word in filter(None, words.split(",")):
            owners[word].append(code)
            for form in _plurals(word):
                phrases.update(
                    {
                        f"{adjective} {form}": code
                        for adjective in adjectives.split(",")
                        if adjective
                    }
                )
    owners["pound"].append("GBP")
    for word, of in owners.items():
        unit = of[0] if len(of) == 1 else _MOST_LIKELY.get(word, _SHARED.get(word, word))
        phrases.update(dict.fromkeys(_plurals(word), unit))
    for plural in ("kronor", "kroner", "kronur"):
        phrases[plural] = "krona/krone"
    for word, unit in _PLAIN_WORDS.items():
        phrases.update(dict.fromkeys(_plurals(word), unit))
    return phrases | _MORE_PHRASES, signs | _PLAIN_SIGNS, frozenset(codes)


PHRASES, SIGNS, CODES = _build()
"""Names in small letters, signs as written, ISO codes; each to the unit of an amount."""


def minor_of(unit: str, /) -> str | None:
    """Return the name of the small coin of a currency, ``None`` where it is not known.

    Parameters
    ----------
    unit
        A currency's code or plain name.
    """
    name = PHRASES_OF_CODE.get(unit, unit)
    return _MINOR.get(unit) or _MINOR.get(name)


PHRASES_OF_CODE = {"GBP": "pound"} | {
    line.split(";")[0]: line.split(";")[1].split(",")[0]
    for line in _TABLE.strip().splitlines()
    if not line.startswith("GBP")
}
"""The word for each code's money ("dollar" for ``USD``)."""


def same_money(one: str, other: str, /) -> bool:
    """Say whether two units can be the same money ("dollar" and ``USD`` can).

    Parameters
    ----------
    one, other
        Currency codes or plain names.
    """
    first, second = (set(PHRASES_OF_CODE.get(unit, unit).split("/")) for unit in (one, other))
    return one == other or (bool(first & second) and (one not in CODES or other not in CODES))
