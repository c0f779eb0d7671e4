"""What the label of a row says of its numbers: counts of things, ratios, prices of a share."""

from __future__ import annotations

import re

_PER_SHARE = re.compile(
    r"\bper\s(?:(?:common|ordinary|diluted|basic|class\s\w|depositary|american|limited|partner\w*"
    r"|preferred|weighted|average|incremental)\s){0,3}(?:shares?|units?|ads|adr|security|warrant"
    r"|membership|member|customer|subscriber|user|unit|barrel|boe|ounce|ton|tonne|gallon|mwh|kwh"
    r"|mmbtu|mcf|square\sfoot|employee|store|room|hour|option)\b|\bEPS\b|\bearnings\sper\b"
    r"|\b(?:stock|share|exercise|market|closing|purchase|strike|conversion|grant)\sprices?\b"
    r"|\bgrant[- ]date\sfair\svalue\b|\b(?:high|low)\s?$",
    re.IGNORECASE,
)
_BASIC = re.compile(
    r"^(?:[-–—]\s?)?(?:net (?:income|loss)\W{1,3})?"
    r"(?:basic|diluted|basic and diluted|assuming dilution)\b.{0,12}$",
    re.IGNORECASE,
)
_MONEY_WORDS = re.compile(
    r"\b(?:costs?|expenses?|revenues?|sales|income|loss(?:es)?|earnings|benefits?|payables?|deposits"
    r"|receivables?|compensation|proceeds|issued|issuance|repurchases?d?|purchases?|dividends|value"
    r"|obligations?|liabilit\w+|assets|capital|taxes|debt|paid|payments?|contributions?|fees|price"
    r"|equity|cash|borrowings|loans|securities|interest|charges?|spend\w*|gains?|swaps?|contracts?"
    r"|derivatives?|premiums?|reserves?|goodwill)\b",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"\b(?:shares?|units|headcount|employees|customers|subscri\w+|members(?:hips?)?|users|accounts"
    r"|stores?|restaurants|locations|branches|square\s(?:feet|footage|met\w+)|acres|gallons|barrels"
    r"|tons|tonnes|mwh|gwh|kwh|boe|mcf|hours|days|weeks|months|years|age|aircraft|vehicles|rooms"
    r"|beds|warrants|options|rsus|psus|awards|volumes?|number\sof|outstanding\sat|transactions"
    r"|patents|facilities|properties|population|passengers|homes|wells|ounces|visits|orders|buyers"
    r"|sellers|merchants|drivers|riders|visitors|guests|students|households|listings"
    r"|downloads|trips|rides|nights|deliveries|devices|active\s(?!portfolio)\w+s)\b",
    re.IGNORECASE,
)
_RATIOS = re.compile(
    r"%|\b(?:per\s?cent(?:age)?s?|ratios?|margins?|yields?|return\son|turnover|multiples?|growth"
    r"|as\sa\s(?:share|part)\sof|leverage|volatility|weighted[- ]average\s\w+\srate"
    r"|(?:tax|interest|discount|effective|statutory|exchange|growth|retention|churn|occupancy"
    r"|utilization|turnover|increase|trend|vacancy|payout|combined|loss)\srates?"
    r"(?!\s(?:contract|swap|derivativ|risk|hedg|cap|lock|protect|future))"
    r"|rates?(?=$|\s(?:of|on|at|for)\b)|basis\spoints|change)\b",
    re.IGNORECASE,
)
_SHARES_ONLY = re.compile(
    r"\((?:in\s)?(?:years?|months|days|hours|shares|units|gallons|%|x|times)\)|\b(?:period|term|life|lives)\s?$|"
    r"^(?:common\s|treasury\s|ordinary\s)?shares\b|\b(?:shares\s(?:used|outstanding|authori[sz]ed)|(?:common|diluted|dilutive|average"
    r"|weighted[- ]average)\s(?:\w+\s){0,3}shares|number\sof)\b",
    re.IGNORECASE,
)


def is_per_share(label: str, section: str, /) -> bool:
    """Say whether a row holds prices and earnings of one share or thing, which no scale changes.

    Parameters
    ----------
    label
        The words of the row.
    section
        The line of words above it, such as "Net income per share:"; empty without one.

    Examples
    --------
    >>> is_per_share("Diluted", "Earnings per common share:"), is_per_share("Net sales", "")
    (True, False)
    """
    if _PER_SHARE.search(label) or _BASIC.match(label):
        return True
    return bool(_PER_SHARE.search(section)) and not _MONEY_WORDS.search(label)


def counts_things(label: str, section: str, /) -> bool:
    """Say whether a row holds counts or ratios: shares, employees, days, per cents; no sums.

    Parameters
    ----------
    label, section
        As for :func:`is_per_share`.

    Examples
    --------
    >>> counts_things("Weighted average shares", ""), counts_things("Cost of shares issued", "")
    (True, False)
    """
    if _SHARES_ONLY.search(label) or _RATIOS.search(label):
        return True
    if _THINGS.search(label) and not _MONEY_WORDS.search(label):
        return True
    if _MONEY_WORDS.search(label):
        return False
    return bool(_SHARES_ONLY.search(section) or _RATIOS.search(section) or _THINGS.search(section))
