"""Contracts whose lines were lost on the way, as in text taken out of some PDF files.

One has a blank for its date; one amendment is of another contract of one of its parties.
"""

from __future__ import annotations

from graph.belonging.measure import read_papers

TYPES = ("amends", "restates", "supplements", "schedule_of", "exhibit_of", "made_under", "bills")
_TERMS = (
    " 1. Services. The provider shall serve. 2. Fees. Fees are due. 3. Term. Three years. 4. Law."
)
FILES, EDGES = read_papers(
    """
reseller.txt: EXHIBIT 10.7 Confidential treatment requested. MARKETING AND RESELLER AGREEMENT This Marketing and Reseller Agreement (the "Agreement") is entered into by and between Opaline Software, Inc., a Utah corporation ("Opaline"), and Brackwater Systems Corporation ("Reseller") as of the 4th day of May, 2006 (the "Effective Date").TERMS
reseller two.txt > amends > reseller.txt: EXHIBIT 10.8 AMENDMENT NUMBER TWO TO MARKETING AND RESELLER AGREEMENT This Amendment Number Two (this "Amendment") is entered into as of June 30, 2008 by and between Opaline Software, Inc. and Brackwater Systems Corporation. Recitals: A. Opaline and Reseller are parties to a Marketing and Reseller Agreement dated May 4, 2006, as amended by Amendment Number One dated January 10, 2007 (the "Reseller Agreement").
reseller one.txt > amends > reseller.txt: AMENDMENT NUMBER ONE This Amendment Number One to the Reseller Agreement is made January 10, 2007 between Opaline Software, Inc. and Brackwater Systems Corporation to amend the Marketing and Reseller Agreement dated May 4, 2006.
undated.txt: MASTER SUPPLY AGREEMENT THIS MASTER SUPPLY AGREEMENT is made as of ________, 2010 by and between Hartfell Glass Ltd. and Osmington Breweries plc.TERMS
undated one.txt > amends > undated.txt: FIRST AMENDMENT TO MASTER SUPPLY AGREEMENT THIS FIRST AMENDMENT is made as of March 15, 2012 by and between Hartfell Glass Ltd. and Osmington Breweries plc, who are parties to a Master Supply Agreement dated April 6, 2010.
undated other.txt: FIRST AMENDMENT TO MASTER SUPPLY AGREEMENT THIS FIRST AMENDMENT is made as of March 15, 2013 by and between Hartfell Glass Ltd. and Velindre Spirits Limited, who are parties to a Master Supply Agreement dated May 9, 2011.
loan.txt: LOAN AGREEMENT This Loan Agreement is dated as of July 1, 2015 and made between Pemberley Estates LLC as borrower and Lowther Savings Bank as lender.TERMS
note.txt: PROMISSORY NOTE July 1, 2015 For value received Pemberley Estates LLC promises to pay Lowther Savings Bank under the Loan Agreement dated as of July 1, 2015 the sum of one million dollars.
loan modified.txt > amends > loan.txt: MODIFICATION AGREEMENT This Modification Agreement is made as of August 20, 2017 by and between Pemberley Estates LLC and Lowther Savings Bank. Lender made a loan evidenced by a Promissory Note dated July 1, 2015 and governed by a Loan Agreement dated as of July 1, 2015. The Loan Agreement is modified as follows.
lease.txt: LEASE AGREEMENT THIS LEASE AGREEMENT, made this 12th day of October 2009, between Riverbend Plaza Associates ("Landlord") and Tallis Optics Inc. ("Tenant").TERMS
lease two.txt > amends > lease.txt: SECOND AMENDMENT TO LEASE THIS SECOND AMENDMENT TO LEASE ("Second Amendment") is made this 3rd day of May 2016 by and between Riverbend Plaza Associates and Tallis Optics Inc. Landlord and Tenant entered into that certain Lease Agreement dated October 12, 2009, as amended by that certain First Amendment to Lease dated June 1, 2012 (collectively, the "Lease").
lease one.txt > amends > lease.txt: FIRST AMENDMENT TO LEASE THIS FIRST AMENDMENT TO LEASE is dated June 1, 2012 and is between Riverbend Plaza Associates, as Landlord, and Tallis Optics Inc., as Tenant, and refers to the Lease dated October 12, 2009.
lease other.txt: FIRST AMENDMENT TO LEASE THIS FIRST AMENDMENT TO LEASE is dated June 1, 2012 and is between Riverbend Plaza Associates, as Landlord, and Corvid Coffee Inc., as Tenant, and refers to the Lease dated October 12, 2010.
""",
    _TERMS,
)
