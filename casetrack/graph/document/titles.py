"""Words that say what somebody is: job titles, and parts in a contract or a case."""

from __future__ import annotations

import functools
import re

from casetrack.graph.entities.text import fold

OFFICES = frozenset(
    "accountant actuary adjudicator adjuster administrator adviser advisor agent ambassador "
    "analyst appraiser arbitrator architect assessor assistant associate attorney auditor "
    "author barrister bookkeeper broker captain carpenter cashier caretaker ceo cfo chair "
    "chairman chairperson chairwoman chancellor chief cio clerk cmo coach commissioner "
    "conservator consultant controller comptroller coo coordinator coroner counsel counsellor "
    "councillor courier cto curator custodian dean delegate deputy designer detective developer "
    "director dispatcher doctor draftsman driver ecologist economist editor electrician "
    "engineer estimator evaluator examiner executive executor executrix expert foreman founder "
    "cofounder co-founder geologist governor guardian head historian hydrologist inspector "
    "instructor investigator journalist judge justice lawyer leader lecturer librarian "
    "liquidator magistrate maintainer manager marshal mayor mechanic mediator member "
    "metallurgist minister negotiator notary nurse observer officer ombudsman operator "
    "organiser organizer paralegal partner pathologist pharmacist photographer physician "
    "physicist pilot planner plumber prefect president principal producer professor programmer "
    "proprietor prosecutor psychiatrist psychologist publisher quaestor receiver recorder "
    "rector registrar reporter representative researcher reviewer salesman salesperson "
    "scientist secretary senator sergeant sheriff solicitor specialist spokesman spokesperson "
    "spokeswoman statistician steward superintendent supervisor surgeon surveyor teacher "
    "technician therapist trader trainee trainer translator treasurer trustee tutor underwriter "
    "veterinarian vice-president vp svp evp warden writer anwalt anwaltin rechtsanwalt "
    "rechtsanwaltin architektin arzt arztin bauleiter bauleiterin beauftragter beauftragte "
    "berater beraterin bevollmachtigter bevollmachtigte burgermeister burgermeisterin "
    "buchhalter buchhalterin direktor direktorin gerichtsvollzieher gesellschafter "
    "gesellschafterin geschaftsfuhrer geschaftsfuhrerin gutachter gutachterin ingenieur "
    "ingenieurin inhaber inhaberin insolvenzverwalter justitiar justitiarin justiziar "
    "justiziarin kanzler kaufmann leiter leiterin vertriebsleiter vertriebsleiterin "
    "betriebsleiter werksleiter abteilungsleiter abteilungsleiterin projektleiter "
    "projektleiterin notar notarin prasident prasidentin prokurist prokuristin referent "
    "referentin richter richterin sachbearbeiter sachbearbeiterin sachverstandiger "
    "sachverstandige sekretar sekretarin steuerberater steuerberaterin vorsitzender vorsitzende "
    "vorstand vorstandsvorsitzender vorstandsvorsitzende wirtschaftsprufer "
    "wirtschaftspruferin".split()
)
"""The word that a job title ends with, folded."""

PARTIES = frozenset(
    "acquirer adjuster administrator affiliate agency agent applicant appellant appellee arranger "
    "artist athlete celebrity endorser executive performer talent "
    "assignee assignor auditor bank beneficiary bidder borrower broker buyer carrier charterer "
    "claimant client company complainant concessionaire consignee consignor consultant contractor "
    "creditor customer debtor defendant depositary depositor developer discloser distributor "
    "donor employer employee employees escrow executor exporter financier franchisee franchisor "
    "grantee grantor guarantor guest holder importer indemnitee indemnitor insured insurer "
    "intervenor investor issuer landlord lender lessee lessor licensee licensor lienor manager "
    "manufacturer marketer merchant mortgagee mortgagor obligee obligor offeree offeror operator "
    "owner parent partner party payee payer petitioner plaintiff pledgee pledgor principal "
    "processor producer promoter provider publisher purchaser receiver recipient registrant "
    "reinsurer reseller respondent retailer seller servicer settlor shareholder shipper sponsor "
    "stockholder subcontractor sublandlord sublessee sublessor subscriber subtenant supplier "
    "tenant transferee transferor transporter trustee underwriter undertaker user vendee vendor "
    "warehouse arbeitgeber arbeitgeberin arbeitnehmer arbeitnehmerin auftraggeber auftraggeberin "
    "auftragnehmer auftragnehmerin beklagte beklagter besteller bestellerin burge darlehensgeber "
    "darlehensgeberin darlehensnehmer darlehensnehmerin dienstleister glaubiger glaubigerin "
    "kaufer kauferin klager klagerin kunde kundin lieferant lieferantin lizenzgeber lizenzgeberin "
    "lizenznehmer lizenznehmerin mieter mieterin schuldner schuldnerin treuhander unternehmer "
    "verkaufer verkauferin vermieter vermieterin versicherer versicherungsnehmer verpachter "
    "pachter".split()
)
"""The word that a part in a contract or a case ends with, folded."""

_HEADS = OFFICES | PARTIES
_OF_NAMES = frozenset("agency bank carrier company publisher trust warehouse".split())
"""Parts that names of organisations end with as well."""

MODIFIERS = frozenset(
    "account accounts acting administrative area assistant associate board branch business chief "
    "civil claims class co-managing commercial communications company compliance construction "
    "contract corporate county deputy design development digital disclosing district district "
    "divisional electrical engineering environmental estates exclusive executive expert external "
    "facilities federal field finance financial first former founding forensic general global "
    "group health honorary human hr independent indemnified indemnifying information insurance "
    "interim internal investment it joint junior key lead legal local logistics loss maintenance "
    "managing marketing master mechanical medical national night non-executive office operating "
    "operations outside patent plant planning president prime principal product production "
    "programme program project property public purchasing quality quantity receiving regional "
    "relations resident resources safety sales second security senior service settlement shift "
    "site software sole special staff state structural sub supervising supply support surviving "
    "tax technical technology transport treasury vice works 1st 2nd geschaftsfuhrender "
    "kaufmannischer technischer leitender stellvertretender".split()
)
"""Words that stand before such a word."""

_SHORT = {
    "ceo": "chief executive",
    "chief executive officer": "chief executive",
    "cfo": "chief financial officer",
    "coo": "chief operating officer",
    "cto": "chief technology officer",
    "cio": "chief information officer",
    "cmo": "chief marketing officer",
    "md": "managing director",
    "vp": "vice president",
    "svp": "senior vice president",
    "evp": "executive vice president",
    "vice-president": "vice president",
    "chairman of the board": "chairman",
    "chairman of the board of directors": "chairman",
}
_LINKS = frozenset("of and & for the und der des von fur".split())
_ARTICLES = re.compile(
    r"^(?:the|an?|its|their|our|his|her|your|my|each|said|der|die|das|dem|den|des|eine?r?|als)\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|&|[12](?:st|nd)")
_GENERIC = frozenset(("party", "parties", "chief", "deputy", "head", "member"))
_MAX_WORDS = 6


def role(phrase: str, /) -> str | None:
    """Return the job title or the part that a phrase names, in lower case.

    Every word must be part of it: "Project Director", "Head of Claims", "lender". Words before
    the last one must be capitalised or known to stand there. ``None`` where it names neither.

    Examples
    --------
    >>> role("Chief Executive Officer"), role("the loss adjuster"), role("Tuesday")
    ('chief executive', 'loss adjuster', None)
    """
    return _read(phrase, _HEADS)


def job_title(phrase: str, /) -> str | None:
    """Return the job title that a phrase names, as `role` does; ``None`` for a part.

    Examples
    --------
    >>> job_title("Chief Executive Officer"), job_title("the Borrower")
    ('chief executive', None)
    """
    return _read(phrase, OFFICES)


@functools.lru_cache(maxsize=16384)
def _read(phrase: str, heads: frozenset[str]) -> str | None:
    text = _ARTICLES.sub("", " ".join(phrase.split()).strip(" ,;:.\"'“”„’()"))
    words = text.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(_WORD.fullmatch(w.strip(",.")) for w in words):
        return None
    words = [w.strip(",.") for w in words]
    low = [fold(w) for w in words]
    if low[-1] in _LINKS:
        return None
    head = _head(low, heads)
    if head < 0 or not all(_stands_before(words, low, at) for at in range(head)):
        return None
    if len(words) == 1 and low[0] in _GENERIC:
        return None
    said = " ".join(words).lower()
    return _SHORT.get(said, said)


def _stands_before(words: list[str], low: list[str], at: int) -> bool:
    if low[at] in {"and", "&", "und"}:
        return at > 0 and low[at - 1] in OFFICES
    return words[at][0].isupper() or low[at] in MODIFIERS or low[at] in OFFICES


def _head(low: list[str], heads: frozenset[str]) -> int:
    """Return the place of the word that names the title or part, -1 without one."""
    if low[-1] in heads:
        return len(low) - 1
    if low[-1] == "general" and len(low) > 1 and low[-2] in OFFICES:
        return len(low) - 1
    # "Head of Claims", "Director of Operations": the title stands before the link.
    for at, word in enumerate(low[1:], 1):
        if word in _LINKS and word not in {"and", "&", "und", "the"}:
            rest = [w for w in low[at + 1 :] if w not in _LINKS]
            # "Director of Operations" is a title, of "President of Acme" one word is.
            is_whole = low[at - 1] in heads and rest and all(w in MODIFIERS for w in rest)
            return at - 1 if is_whole else -1
    return -1


_POLITICAL = frozenset(
    "alliance centre christian citizens communist conservative country democratic democrats "
    "farmers federation first freedom green independence justice labor labour liberal liberty "
    "national nationalist people peoples progress progressive radical reform republican social "
    "socialist unionist unity workers".split()
)
"""Words before "Party" that make it one of politics."""


def is_part(word: str, /) -> bool:
    """Return whether a word is a part in a contract or a case ("Buyer", "the Customer")."""
    words = [fold(w) for w in _ARTICLES.sub("", word).split()]
    if not words or words[-1] not in PARTIES or len(words) > 3:
        return False
    if words[-1] == "party" and len(words) > 1 and words[-2] in _POLITICAL:
        return False
    # "Deutsche Bank" is a name, "the Agent Bank" and "the Operating Company" are parts.
    return words[-1] not in _OF_NAMES or all(w in MODIFIERS | _HEADS for w in words[:-1])


def is_job(word: str, /) -> bool:
    """Return whether a word can be the last one of a job title."""
    return fold(word) in OFFICES
