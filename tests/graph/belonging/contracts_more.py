"""More contracts, of other trades and countries, whose changes are worded in other ways."""

from __future__ import annotations

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under")
_TERMS = """
ARTICLE I
SECTION 1.01 Definitions. Terms are used as defined.
SECTION 1.02 Construction. Headings do not count.
ARTICLE II
SECTION 2.01 Obligations. Each party performs its part.
SECTION 2.05 Fees. Fees are paid quarterly.
"""
FILES, EDGES = read_papers(
    """
indenture.txt: INDENTURE | Dated as of November 15, 2006 | Between | TALLOW CREEK POWER COMPANY, as Issuer | and | FIRST PRAIRIE TRUST COMPANY, N.A., as Trustee ¶ TERMS
second supplemental.txt > supplements > indenture.txt: SECOND SUPPLEMENTAL INDENTURE | SECOND SUPPLEMENTAL INDENTURE, dated as of August 1, 2011 (this "Supplemental Indenture"), between Tallow Creek Power Company, a Kansas corporation (the "Issuer"), and First Prairie Trust Company, N.A., as trustee (the "Trustee"). | WITNESSETH: the Issuer has heretofore executed and delivered to the Trustee an Indenture, dated as of November 15, 2006 (the "Base Indenture"), providing for the issuance of debt securities.
credit.txt: CREDIT AGREEMENT | dated as of March 30, 2017 | among | WICKLOW DAIRY HOLDINGS, INC., ¶ THE LENDERS PARTY HERETO ¶ and ¶ ARDENT NATIONAL BANK, as Administrative Agent ¶ TERMS
waiver.txt > amends > credit.txt: WAIVER AND AMENDMENT NO. 4 TO CREDIT AGREEMENT | This WAIVER AND AMENDMENT NO. 4 TO CREDIT AGREEMENT (this "Amendment"), dated as of June 12, 2020, is entered into by and among Wicklow Dairy Holdings, Inc. (the "Borrower") and Ardent National Bank, as administrative agent, with reference to that certain Credit Agreement dated as of March 30, 2017 (as heretofore amended, the "Credit Agreement").
pledge.txt: PLEDGE AGREEMENT | This Pledge Agreement, dated as of March 30, 2017, is made by Wicklow Dairy Holdings, Inc. in favor of Ardent National Bank, as agent under the Credit Agreement dated as of March 30, 2017. The Pledgor pledges its shares.
build.txt: CONSTRUCTION CONTRACT | Contract No. HB-2019-114 | This Construction Contract is made the 2nd day of April 2019 between Hexham Borough Council (the Employer) and Tyne Masonry Limited (the Contractor). ¶ TERMS
co3.txt > amends > build.txt: CHANGE ORDER NO. 3 | Contract No. HB-2019-114 ¶ Employer: Hexham Borough Council ¶ Contractor: Tyne Masonry Limited ¶ Date: 6 December 2019 | The Contract is changed as follows: add drainage to the north car park.
employ.txt: EMPLOYMENT AGREEMENT | This Employment Agreement is entered into as of January 8, 2013 by and between Quillback Sensors Corp. (the "Company") and Lorraine Oyelowo (the "Executive"). ¶ TERMS
employ change.txt > amends > employ.txt: AMENDMENT TO EMPLOYMENT AGREEMENT | WHEREAS, Quillback Sensors Corp. (the "Company") and Lorraine Oyelowo ("Executive") are parties to an Employment Agreement made as of January 8, 2013 (the "Employment Agreement"); and | WHEREAS, the parties wish to amend the Employment Agreement effective as of December 31, 2015; | NOW THEREFORE, Section 2.05 of the Employment Agreement is amended.
employ 2.txt: EMPLOYMENT AGREEMENT | This Employment Agreement is entered into as of January 8, 2013 by and between Quillback Sensors Corp. (the "Company") and Desmond Falk (the "Executive"). Mr. Falk is the head of sales. ¶ TERMS
consult.txt: CONSULTANCY AGREEMENT | Between: Bramble & Thorne LLP and Nordisk Vindkraft A/S ¶ Date: 14 May 2015 ¶ TERMS
letter.txt > amends > consult.txt: Bramble & Thorne LLP | 9 November 2016 | Nordisk Vindkraft A/S ¶ Copenhagen | Dear Sirs | Amendment to the Consultancy Agreement dated 14 May 2015 (the "Agreement") | This letter amends the Agreement. With effect from 1 December 2016, the daily rate in Section 2.05 of the Agreement is raised. | Please sign and return the copy of this letter.
terminate.txt: TERMINATION AGREEMENT | This Termination Agreement is made on 3 March 2018 between Bramble & Thorne LLP and Nordisk Vindkraft A/S. The Consultancy Agreement dated 14 May 2015 ends today.
jv.txt: SHAREHOLDERS' AGREEMENT | relating to Kilimo Fresh Limited | dated 23 February 2012 | Savanna Growers Limited ¶ Lakeside Ventures Limited ¶ Kilimo Fresh Limited ¶ TERMS
jv restated.txt > restates > jv.txt: AMENDED AND RESTATED SHAREHOLDERS' AGREEMENT | relating to Kilimo Fresh Limited | dated 30 August 2016 | between Savanna Growers Limited, Lakeside Ventures Limited and Kilimo Fresh Limited | BACKGROUND ¶ (A) The parties entered into a shareholders' agreement on 23 February 2012 which this agreement amends and restates. ¶ TERMS
jv deed.txt > amends > jv restated.txt: DEED OF ADHERENCE AND AMENDMENT | THIS DEED is made on 5 May 2019 by Savanna Growers Limited, Lakeside Ventures Limited and Kilimo Fresh Limited. | It amends the Amended and Restated Shareholders' Agreement dated 30 August 2016 (the "SHA").
pacht.txt: Pachtvertrag | zwischen | Gemeinde Oberwies | und | Sonnenhang Energie GmbH & Co. KG | Oberwies, den 3. Mai 2011 | § 1 Pachtgegenstand ¶ § 2 Pachtzins
pacht nachtrag.txt > amends > pacht.txt: Nachtrag Nr. 1 ¶ zum Pachtvertrag vom 03.05.2011 | zwischen der Gemeinde Oberwies und der Sonnenhang Energie GmbH & Co. KG | § 2 des Pachtvertrages wird mit Wirkung zum 1. Januar 2014 geändert.
supply.txt: SUPPLY AND LICENSE AGREEMENT | This Supply and License Agreement ("Agreement") is entered into on this 19th day of September, 2008 (the "Effective Date") by and between PETRELLA DIAGNOSTICS S.P.A., an Italian company ("Petrella"), and MARLOW REAGENTS, INC., an Ohio corporation ("Marlow"). ¶ TERMS
supply omnibus.txt > amends > supply.txt: FIFTH AMENDMENT TO SUPPLY & LICENSE AGREEMENT | This Fifth Amendment to Supply & License Agreement (the "Fifth Amendment") is made and entered into as of the 2nd day of February, 2014 (the "Fifth Amendment Effective Date") between Petrella Diagnostics S.p.A. and Marlow Reagents, Inc. | Petrella and Marlow entered into a Supply and License Agreement effective September 19, 2008, which was amended on May 5, 2009, March 1, 2010, July 7, 2011 and October 31, 2012 (collectively, the "Agreement").
supply annex.txt > schedule_of > supply.txt: Appendix C | to the Supply and License Agreement dated September 19, 2008 by and between Petrella Diagnostics S.p.A. and Marlow Reagents, Inc. | Specifications of the reagents
other petrella.txt: DISTRIBUTION AGREEMENT | This Distribution Agreement is entered into on September 19, 2008 by and between Petrella Diagnostics S.p.A. and Marlow Reagents, Inc. ¶ TERMS
sow.txt > made_under > psa.txt: STATEMENT OF WORK #12 | This Statement of Work is entered into pursuant to the Professional Services Agreement dated February 2, 2019 by and between Cinder Cone Games, Inc. and Lumen Audio Ltd. | 1. Deliverables: forty sound effects
psa.txt: PROFESSIONAL SERVICES AGREEMENT | THIS PROFESSIONAL SERVICES AGREEMENT (the "PSA") is effective as of February 2, 2019 (the "Effective Date") between Cinder Cone Games, Inc. and Lumen Audio Ltd. ¶ TERMS
psa extension.txt > amends > psa.txt: EXTENSION AGREEMENT | This Extension Agreement dated 31 January 2022 is between Cinder Cone Games, Inc. and Lumen Audio Ltd. The term of the Professional Services Agreement dated February 2, 2019 is hereby extended for two years and clause 2.05 is amended.
stray.txt: AMENDMENT NO. 2 TO LICENSE AGREEMENT | This Amendment No. 2 is made as of April 4, 2020 by and between Cinder Cone Games, Inc. and Halftone Press LLC, and amends the License Agreement dated as of February 2, 2019 between them.
""",
    _TERMS,
)
