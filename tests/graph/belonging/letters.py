"""Letters, minutes, invoices and mails that cite clauses of agreements, with decoys.

``CLAUSES`` is what a reader would note: document, cited words, the document that they stand in.
"""

from __future__ import annotations

from graph.belonging.measure import read_papers

TYPES = ("amends", "made_under", "bills")
_BODY = """
1. Definitions
1.1 Words with capitals are defined here.
2. Supply
2.1 The supplier delivers in full.
2.4 Late delivery costs one per cent a week.
3. Payment
3.2 Invoices are due in thirty days.
4. Quality
4.2 Records are kept for six years.
4.3 Audits take place once a year.
SCHEDULE 2
Prices
"""
FILES, EDGES = read_papers(
    """
a/services.txt: SERVICES AGREEMENT | This Services Agreement is dated 3 March 2023 and made between Farrow Engineering Limited and Bonaventure Rail plc. ¶ TERMS
a/services old.txt: SERVICES AGREEMENT | This Services Agreement is dated 7 July 2019 and made between Farrow Engineering Limited and Bonaventure Rail plc. It deals with the old depot and its cranes. ¶ TERMS
b/supply.txt: SUPPLY AGREEMENT | This Supply Agreement (the "Agreement") is entered into as of May 9, 2022 by and between Cobalt Seating Inc. and Mistral Coaches LLC. ¶ TERMS
b/amendment.txt > amends > b/supply.txt: AMENDMENT NO. 1 TO SUPPLY AGREEMENT | This Amendment No. 1 is made as of February 1, 2023 by and between Cobalt Seating Inc. and Mistral Coaches LLC and amends the Supply Agreement dated as of May 9, 2022 (the "Supply Agreement"). | 1. Section 2.4 of the Supply Agreement is deleted. ¶ 2. In Section 3.2, "thirty" becomes "sixty".
c/letter 1.txt: Farrow Engineering Limited ¶ 12 June 2024 | Bonaventure Rail plc | Dear Sirs, | We refer to Section 4.2 of the Services Agreement dated 3 March 2023. Under clauses 2.1 and 2.4 of that agreement you are entitled to deliveries in full. The records named in Section 4.2 are attached. | Yours faithfully
c/letter 2.txt: Mistral Coaches LLC | August 14, 2023 | Dear Ms Oduya, | Supply Agreement of May 9, 2022 (the "SA") | Your invoices were late. Clause 3.2 of the SA gives us thirty days, and Schedule 2 to the SA lists the prices. We also remind you of Section 7 of the Sale of Goods Act 1979. | Sincerely ¶ for Cobalt Seating Inc.
c/letter 3.txt: Delta Shipping Ltd | 3 May 2024 | Dear Captain, | Clause 4.3 of the Services Agreement dated 3 October 2021 between us and Harbour Towage Ltd gives you a right of audit. | Yours
c/minutes.txt: MINUTES | of the meeting of Farrow Engineering Limited and Bonaventure Rail plc on 4 July 2024 | The meeting discussed the Services Agreement dated 3 March 2023. Clause 4.3 was read out. Nobody had kept to clause 2.1. Clause 19.9 was mentioned by mistake.
c/own.txt: POLICY ON TRAVEL | 1. Scope ¶ 2.1 Trains are preferred to planes. ¶ 3. Money | Section 2.1 above does not apply to the board. This policy is not part of the Supply Agreement dated as of May 9, 2022 between Cobalt Seating Inc. and Mistral Coaches LLC.
d/claim.eml: From: Ines Oduya <ines@cobalt.example> ¶ To: Jo Park <jo@mistral.example> ¶ Date: Mon, 21 Aug 2023 09:00:00 +0000 ¶ Subject: Late deliveries ¶ Message-ID: <c1@cobalt.example> | Dear Jo, | under Section 2.4 of the Supply Agreement dated May 9, 2022 between Cobalt Seating Inc. and Mistral Coaches LLC ¶ one per cent a week is due. | Ines
""",
    _BODY,
)
_SERVICES, _SUPPLY = "a/services.txt", "b/supply.txt"
CLAUSES = {
    ("b/amendment.txt", "Section 2.4", _SUPPLY),
    ("b/amendment.txt", "Section 3.2", _SUPPLY),
    ("c/letter 1.txt", "Section 4.2", _SERVICES),
    ("c/letter 1.txt", "clauses 2.1", _SERVICES),
    ("c/letter 1.txt", "2.4", _SERVICES),
    ("c/letter 2.txt", "Clause 3.2", _SUPPLY),
    ("c/letter 2.txt", "Schedule 2", _SUPPLY),
    ("c/minutes.txt", "Clause 4.3", _SERVICES),
    ("c/minutes.txt", "clause 2.1", _SERVICES),
    ("d/claim.eml", "Section 2.4", _SUPPLY),
}
