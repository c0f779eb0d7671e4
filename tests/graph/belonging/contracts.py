"""Contracts of unlike kinds with what amends, restates, supplements and belongs to them.

``FILES`` is text by path, ``EDGES`` what a reader would note: source, target, type. Whatever else is
found of these types is wrong. Many papers have names that say nothing, and several are like another
one in all but one point: same parties, same title, or same date.
"""

from __future__ import annotations

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under")
_CLAUSES = """
1. Definitions
In this Agreement the words below have the meanings given to them.
2. Services
2.1 The supplier shall perform with due care.
2.2 Acceptance follows within ten days.
3. Price
3.1 The price is stated in the annex.
4. Term and termination
4.1 The term is three years.
4.2 Either party may terminate on ninety days' notice.
5. Governing law
"""
FILES, EDGES = read_papers(
    """
# A storage agreement; two amendments, one in another folder under a name that says nothing.
storage/storage.txt: COLD STORAGE AGREEMENT | This Cold Storage Agreement (this "Agreement") is made on 14 February 2018 between Quayside Cold Stores Limited ("Quayside") and Brightwater Foods Limited ("Brightwater"). ¶ TERMS ¶ Signed for Quayside Cold Stores Limited and Brightwater Foods Limited.
storage/first change.txt > amends > storage/storage.txt: FIRST AMENDMENT TO COLD STORAGE AGREEMENT | This First Amendment is entered into as of 3 June 2019 by and between Quayside Cold Stores Limited and Brightwater Foods Limited. | WHEREAS, the parties entered into that certain Cold Storage Agreement dated 14 February 2018 (the "Storage Agreement"); ¶ NOW, THEREFORE, Section 4.2 of the Storage Agreement is hereby amended to read as follows: sixty days.
scans/IMG_0231.txt > amends > storage/storage.txt: Amendment #2 | THIS AMENDMENT (the "Second Amendment") is effective 1 March 2020 and is by and between Brightwater Foods Limited and Quayside Cold Stores Limited. | The parties are party to a Cold Storage Agreement dated 14 February 2018, as amended by the First Amendment dated 3 June 2019 (together, the "Agreement"), and wish to amend it further. | 1. Clause 3.1 is deleted and replaced.
# The same two parties have a second agreement; its amendment names it by title alone.
transport/haulage.txt: HAULAGE CONTRACT | THIS CONTRACT is dated 9 May 2018 and made between | (1) Quayside Cold Stores Limited; and ¶ (2) Brightwater Foods Limited. ¶ TERMS
transport/variation.txt > amends > transport/haulage.txt: DEED OF VARIATION | relating to the Haulage Contract | This Deed of Variation is made on 20 January 2021 between Quayside Cold Stores Limited and Brightwater Foods Limited. | Background: The parties entered into the Haulage Contract and have agreed to vary it. With effect from today the Haulage Contract is varied as set out below.
# Says nothing but "the Agreement" between two who have two agreements: nobody knows which.
transport/unclear.txt: AMENDMENT | This Amendment is made on 2 February 2022 between Quayside Cold Stores Limited and Brightwater Foods Limited. The parties wish to amend the Agreement between them. The price is raised by two per cent.
# Same title as the first, other parties.
storage/ormskirk.txt: COLD STORAGE AGREEMENT | This Cold Storage Agreement is made on 11 November 2017 between Ormskirk Freight Limited and Halden Marine AS. ¶ TERMS
in tray/letter agreement.txt > amends > storage/ormskirk.txt: LETTER AMENDMENT NO. 1 | Ormskirk Freight Limited ¶ to Halden Marine AS | 16 August 2019 | We refer to the Cold Storage Agreement made between us on 11 November 2017 (the "Original Agreement"). By this Amendment No. 1 the parties amend Section 3.1 of the Original Agreement.
# A licence with a restatement, and an amendment to the restated one.
licences/hollin 2015.txt: SOFTWARE LICENSE AGREEMENT | This Software License Agreement ("Agreement") is entered into as of March 2, 2015 (the "Effective Date"), by and between Hollin Software Ltd, and Copperline Networks Inc. ¶ TERMS
licences/hollin 2019.txt > restates > licences/hollin 2015.txt: AMENDED AND RESTATED SOFTWARE LICENSE AGREEMENT | This Amended and Restated Software License Agreement is entered into as of July 15, 2019, by and between Hollin Software Ltd ("Licensor") and Copperline Networks Inc. ("Licensee"), and amends and restates in its entirety the Software License Agreement dated as of March 2, 2015 between the parties. ¶ TERMS
licences/third.txt > amends > licences/hollin 2019.txt: THIRD AMENDMENT TO AMENDED AND RESTATED SOFTWARE LICENSE AGREEMENT | This Third Amendment (this "Amendment") to the Amended and Restated Software License Agreement, dated July 15, 2019 (the "A&R License"), is made effective as of October 4, 2021 by and between Hollin Software Ltd and Copperline Networks Inc. | 1. Section 2.1 of the A&R License is replaced.
# German: a frame contract, its second supplement, and an annex.
de/Rahmen.txt: RAHMENVERTRAG | zwischen der Norderfeld Maschinenbau GmbH und der Alpstein Logistik AG | vom 12. April 2016 | § 1 Gegenstand ¶ § 2 Leistungen ¶ § 3 Vergütung
de/Dok 17.txt > amends > de/Rahmen.txt: 2. Nachtrag zum Rahmenvertrag vom 12. April 2016 | zwischen der Norderfeld Maschinenbau GmbH und der Alpstein Logistik AG | Die Parteien vereinbaren am 8. Januar 2019: § 3 wird wie folgt geändert.
de/Anlage 2.txt > schedule_of > de/Rahmen.txt: Anlage 2 zum Rahmenvertrag vom 12. April 2016 | Norderfeld Maschinenbau GmbH / Alpstein Logistik AG | Preisliste der Leistungen
# A lease with persons, a side letter, and a notice under it.
lease/premises.txt: OFFICE LEASE | Kestrel Point Properties LLC, Landlord | and | Marguerite Danso, Tenant | Dated: September 1, 2014 | THIS LEASE is made and entered into as of September 1, 2014, by and between Kestrel Point Properties LLC, a Nevada limited liability company, and Marguerite Danso. ¶ TERMS
lease/parking.txt > supplements > lease/premises.txt: ADDENDUM NO. 1 TO OFFICE LEASE | This Addendum No. 1 is attached to and supplements that certain Office Lease dated September 1, 2014 between Kestrel Point Properties LLC ("Landlord") and Marguerite Danso ("Tenant"). Tenant receives two parking spaces.
lease/notice.txt > made_under > lease/premises.txt: NOTICE OF RENEWAL | March 3, 2019 | To: Kestrel Point Properties LLC | Pursuant to Section 4.1 of the Office Lease dated September 1, 2014, the undersigned tenant renews the term for three years. | Marguerite Danso
# Same date as the lease, other contract and parties.
lease/dental.txt: SERVICES AGREEMENT | This Services Agreement is entered into as of September 1, 2014 between Juniper Dental Group P.C. and Pellucid Analytics LLC. ¶ TERMS
# An amendment whose contract is not here; its parties have another agreement that is.
pharma/amendment 3.txt: Amendment No. 3 to the Clinical Manufacturing Agreement | This Amendment No. 3 to the Clinical Manufacturing Agreement is made effective as of May 20, 2016, by and between Solano Biologics, Inc. and Meridian Fill-Finish Corp. WHEREAS the parties entered into that certain Clinical Manufacturing Agreement effective January 7, 2012 (the "Agreement"); the Agreement is amended as follows.
pharma/quality.txt: QUALITY AGREEMENT | This Quality Agreement is made as of June 30, 2012 by and between Solano Biologics, Inc. ("Solano") and Meridian Fill-Finish Corp. ("Meridian"). ¶ TERMS
# Numbers: a frame contract, an order form under it, an amendment that gives the number alone.
it/msa.txt: MASTER SERVICES AGREEMENT | Agreement No. MSA-7731 | This Master Services Agreement is made on 5 October 2020 between Pellucid Analytics LLC and Corvane Group plc. ¶ TERMS ¶ SCHEDULE 1 ¶ Rates
it/sow.txt > made_under > it/msa.txt: STATEMENT OF WORK NO. 4 | Issued under the Master Services Agreement No. MSA-7731 between Pellucid Analytics LLC and Corvane Group plc. | Scope: migration of the archive. Date: 12 January 2021
it/variation2.txt > amends > it/msa.txt: AMENDMENT NO. 2 | to Agreement No. MSA-7731 | Pellucid Analytics LLC and Corvane Group plc agree on 30 April 2022 that Clause 3.1 of the Agreement is replaced.
it/rates.txt > schedule_of > it/msa.txt: SCHEDULE 3 ¶ to the Master Services Agreement dated 5 October 2020 ¶ between Pellucid Analytics LLC and Corvane Group plc | Rates for the archive from 2023
# A loan: the first amendment by date alone, an exhibit, a guarantee of the same day.
bank/facility.txt: TERM LOAN AGREEMENT | dated as of December 18, 2013 | between Sable Ridge Wind LLC, as borrower, and Larkspur Capital Bank, as lender ¶ TERMS
bank/guarantee.txt: GUARANTEE | dated as of December 18, 2013 | made by Gantry Steel Works Inc. in favour of Larkspur Capital Bank | The guarantor guarantees all obligations of the borrower.
bank/1.txt > amends > bank/facility.txt: FIRST AMENDMENT | FIRST AMENDMENT, dated as of April 2, 2015 (this "Amendment"), to the Term Loan Agreement, dated as of December 18, 2013 (as amended, supplemented or otherwise modified from time to time, the "Loan Agreement"), between Sable Ridge Wind LLC and Larkspur Capital Bank. | SECTION 1. Amendments. Section 2.2 of the Loan Agreement is hereby amended.
bank/exhibit a.txt > exhibit_of > bank/facility.txt: EXHIBIT A | TO TERM LOAN AGREEMENT | dated as of December 18, 2013, between Sable Ridge Wind LLC and Larkspur Capital Bank | FORM OF BORROWING NOTICE
# Distribution: the amendment speaks of a "Distributor Agreement" by its effective date.
trade/distribution.txt: DISTRIBUTION AGREEMENT                         Effective Date: August 8, 2011 | between Delft Pumps B.V. and Ironbark Mining Pty Ltd ¶ TERMS
trade/x.txt > amends > trade/distribution.txt: This Amendment is entered into effective January 1, 2013 ("Amendment Date") by and between Delft Pumps B.V. and Ironbark Mining Pty Ltd. | Delft Pumps B.V. and Ironbark Mining Pty Ltd having previously entered into a Distributor Agreement ("Agreement") with an Effective Date of August 8, 2011, now mutually agree to amend that Agreement.
# Hotels: by the parties and a defined term, with the title in the recital alone.
hotel/hma.txt: HOTEL MANAGEMENT AGREEMENT | This agreement is made this 21st day of May 2010 by and between Tamarind Hotels Pte. Ltd. and Rosalind Achterberg. | THIS HOTEL MANAGEMENT AGREEMENT sets out the terms. ¶ TERMS
hotel/side letter.txt > supplements > hotel/hma.txt: SUPPLEMENTAL AGREEMENT | THIS SUPPLEMENTAL AGREEMENT is made on 17 July 2012 between Tamarind Hotels Pte. Ltd. and Rosalind Achterberg and is supplemental to a Hotel Management Agreement dated 21 May 2010 made between the same parties (the "Principal Agreement").
# French.
fr/contrat.txt: CONTRAT DE DISTRIBUTION | entre Atelier Roussel SARL et Osprey Telecom SA | en date du 4 mars 2017
fr/avenant.txt > amends > fr/contrat.txt: AVENANT N° 1 AU CONTRAT DE DISTRIBUTION | du 4 mars 2017 | entre Atelier Roussel SARL et Osprey Telecom SA | Fait le 9 septembre 2018
# Same title and parties twice: the date tells.
media/2016.txt: ADVERTISING AGREEMENT | This Advertising Agreement is dated 6 June 2016 and made between Bellweather Media Ltd and Redfern Textiles Limited. ¶ TERMS
media/2018.txt: ADVERTISING AGREEMENT | This Advertising Agreement is dated 6 June 2018 and made between Bellweather Media Ltd and Redfern Textiles Limited. ¶ TERMS ¶ The budget is four times that of the first one and covers print, posters and trams.
media/change.txt > amends > media/2018.txt: AMENDMENT AGREEMENT | This Amendment Agreement is made on 1 October 2018 between Bellweather Media Ltd and Redfern Textiles Limited. | Whereas the parties have concluded an Advertising Agreement on 6 June 2018 and wish to modify it.
media/change of 2017.txt: AMENDMENT AGREEMENT | This Amendment Agreement is made on 1 October 2017 between Bellweather Media Ltd and Redfern Textiles Limited. | Whereas the parties are bound by the Advertising Agreement dated 6 June 2017 and wish to modify it.
""",
    _CLAUSES,
)
