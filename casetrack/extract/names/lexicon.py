"""Small closed lists of words that stand beside names or inside them."""

from __future__ import annotations

from casetrack.base.words.months import month_numbers

LEGAL_FORMS = frozenset(
    "ab ag as asa bv co corp corporation company cv gmbh inc incorporated kg kgaa lc limited llc "
    "llp lp ltd ltda mbh na nv oy oyj plc pllc pte pty pvt sa sarl sas sca se spa srl".split()
)
HONORIFICS = frozenset(
    "mr mrs ms miss dr prof professor sir dame lord lady rev hon judge justice sen senator gov "
    "governor president minister captain capt col gen lt sgt officer detective herr frau "
    "dipl ing mag attorney".split()
)
PLACES = frozenset(
    "street st road rd avenue ave boulevard blvd drive dr lane ln square plaza court highway hwy "
    "parkway suite floor city county state province district river lake mountain island islands "
    "bay valley beach park strasse straße platz weg allee".split()
)
BODIES = frozenset(
    "bank university college institute association foundation ministry department commission "
    "council committee court agency authority board bureau office party union club group holdings "
    "partners trust fund systems technologies services international solutions industries media "
    "press news times hospital school church team league".split()
)
DATES = frozenset(
    "sept monday tuesday wednesday thursday friday saturday "
    "sunday mon tue wed thu fri sat sun".split()
) | frozenset(month_numbers("en", "en_short", "de"))
PAPERS = frozenset(
    "agreement section article exhibit schedule annex appendix clause paragraph contract amendment "
    "addendum effective date term notice party parties recitals whereas witnesseth confidential "
    "information license licensee licensor borrower lender buyer seller purchaser tenant landlord "
    "company customer supplier distributor provider contractor consultant employee employer client "
    "vendor agent trustee product products services intellectual property territory chapter part "
    "page table figure vertrag anlage paragraf".split()
)
PARTICLES = frozenset("of the and for de la le van von der den di da del du bin al el y e".split())
NEVER = PAPERS | DATES | PARTICLES
"""A name has at least one word that is not of these."""
COMPANY_ENDS = frozenset(
    "inc incorporated corp corporation gmbh llc llp limited ltd plc pllc".split()
)
"""Legal forms that hardly stand anywhere but at the end of a company's name."""
GENERIC_FORMS = frozenset(
    "corporation company partnership limited liability general association bank".split()
)
ABBREVIATED = frozenset("inc corp co ltd bros jr sr dept".split())
STOPS = frozenset(
    "the this that a an by between among and or with to from in on at for of is as dated whereas "
    "both made entered into hereby our your its their if no not".split()
)
TITLES = frozenset(
    "mr mrs ms miss dr prof professor doctor king queen prince princess tsar emperor pope "
    "president senator".split()
)
"""Titles that are left out of a name."""
PUBLIC_BODIES = frozenset(
    "commission department ministry committee agency administration bureau council authority board "
    "office court courts tribunal service directorate inspectorate".split()
)
OFFICES = PUBLIC_BODIES | frozenset(
    "bank university college institute academy society museum chamber union association league "
    "federation confederation alliance archives library hospital school church".split()
)
"""Words that "of" or "for" is part of a name behind."""
SUBJECTS = frozenset(
    "aeronautics agriculture alcohol atomic aviation banking budget children climate commerce "
    "commodity communications community competition conciliation consumer control cooperation "
    "culture customs defence defense development disease drug economic economy education "
    "employment energy enforcement environment environmental equal exchange explosives families "
    "finance financial firearms fisheries food foreign forestry health home housing human "
    "immigration industry information infrastructure innovation insurance internal investment "
    "justice labor labour land licensing markets medicines mediation merit monopolies natural "
    "naturalization nuclear occupational oceanic pensions pharmaceutical planning policy "
    "prevention protection quality radiation regulation research resources revenue rural safety "
    "science securities social space sport sports standards statistics supervision technology "
    "telecommunications tobacco tourism trade training transport transportation urban veterans "
    "water welfare women work works youth".split()
)
"""What public bodies are there for; several are joined by "and" within a name."""
FELLOWS = frozenset(
    "partners sons son co company brothers bros associates daughters fils cie".split()
)
"""Words behind "and" that make a firm of the name before."""
STATUTES = frozenset("act law laws code rules statute statutes ordinance regulations".split())
NUMBERED = frozenset(
    "regulation rule form schedule item section class series tranche topic article chapter".split()
)
"""Words that a mark stands behind, not a name: "Regulation AB"."""
PEOPLES = frozenset(
    "african albanian algerian american arab argentinian asian athenian australian austrian "
    "bavarian belgian bolivian bosnian brazilian british bulgarian californian canadian "
    "catalan caucasian chilean chinese colombian croatian cuban czech danish dutch egyptian "
    "english estonian ethiopian european filipino finnish flemish french georgian german "
    "ghanaian greek hungarian icelandic indian indonesian iranian iraqi irish israeli "
    "italian jamaican japanese jordanian kenyan korean kurdish kuwaiti latvian lebanese "
    "libyan lithuanian malaysian mexican moroccan nigerian norwegian pakistani palestinian "
    "peruvian polish portuguese roman romanian russian saudi scandinavian scottish serbian "
    "sicilian singaporean slovak slovenian soviet spanish swedish swiss syrian taiwanese "
    "texan thai tunisian turkish ukrainian venezuelan vietnamese welsh africans albanians "
    "americans arabs argentinians asians australians austrians belgians brazilians canadians "
    "chileans croats cubans czechs danes egyptians estonians europeans finns germans greeks "
    "hungarians indians indonesians iranians iraqis israelis italians koreans kurds mexicans "
    "nigerians norwegians pakistanis palestinians poles romans romanians russians saudis "
    "scots serbs slovaks slovenes swedes syrians texans turks ukrainians venezuelans".split()
)
"""What is of a place, and who lives there, is no place itself."""
NO_NAMES = NEVER | frozenset(
    "act adr asc asu attn bond bonds capex ceo cfa cfo coo cpa credit cto cusip dgcl ebitda "
    "eitf esq etf evp extension facsimile fas fax form gaap gdp gmt ifrs indenture investor "
    "ipo isin item jd law laws lbo libor loan loans mba md note notes number otc phd plan "
    "proposal prospectus pst recital regulation relations rmb rule securities security sfas "
    "sofr stock svp term throughput ucc usd utc vat voip vp vsoe xbrl".split()
)
"""Nor is a name all of these."""
_LISTS = (LEGAL_FORMS, HONORIFICS, PLACES, BODIES, DATES, PAPERS, PARTICLES)


def flags_of(word: str, /) -> int:
    """Return which of the seven lists a word is in, one bit each, the legal forms first."""
    low = word.lower()
    return sum(1 << i for i, words in enumerate(_LISTS) if low in words)
