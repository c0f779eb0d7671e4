"""Words of contracts: names of roles, months, states and countries."""

from __future__ import annotations

import re

SMALL_WORDS = frozenset(
    "a an the and or of to as in with each collectively hereinafter individually together "
    "referred you we us our".split()
)
"""Words without information on the class of a party."""
ROLE_WORDS = frozenset(
    "affiliate agent artist assignee assignor association author b bank borrower broker buyer "
    "carrier celebrity client company consultant contractor custodian customer dealer depositor "
    "developer distributor employee employer entities executive franchisee franchisor guarantor "
    "holder investor issuer landlord lender lessee lessor licensee licensor manager manufacturer "
    "marketing member merchant noteholder notes operating operator owner parent participant "
    "parties partner partners partnership party principal promoter provider publisher purchaser "
    "recipient repairer reseller retailer seller servicer shareholder shipper sponsor stockholder "
    "subcontractor sublicensee subsidiary supplier talent tenant transaction transporter trustee "
    "vendor".split()
)
"""Names of roles in contracts."""
_NAMES = (
    "january february march april may june july august september october november december"
).split()
MONTHS = {
    form: number
    for number, name in enumerate(_NAMES, start=1)
    for form in (name, name[:3], "sept" if name == "september" else name)
}
_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|"
    "Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|"
    "Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|"
    "New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|"
    "Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming|Ontario|Quebec|British Columbia|Victoria|New South Wales"
)
_COUNTRIES = (
    "United States of America|United States|United Kingdom|England and Wales|England|Wales|"
    "Scotland|Ireland|Australia|New Zealand|Canada|Mexico|Brazil|Argentina|Chile|Germany|France|"
    "Spain|Portugal|Italy|Switzerland|Austria|Belgium|Netherlands|Luxembourg|Sweden|Norway|"
    "Denmark|Finland|Poland|Greece|Turkey|Israel|Egypt|South Africa|India|Singapore|Malaysia|"
    "Hong Kong|Taiwan|Japan|Korea|People's Republic of China|China|Bermuda|Cayman Islands"
)
PLACES = re.compile(rf"\b(?:{_STATES}|{_COUNTRIES})\b".replace(" ", r"\s+"), re.IGNORECASE)
"""States and countries, longer names first."""
