-- Whether a name is that of a public or standards body, which texts mention without being about it: a
-- court, an agency, an exchange, a standards board, an arbitration institution. Its words or well-known
-- initials decide. An agency for insurance or travel is a company.
CREATE MACRO is_public_body(name) AS regexp_matches(
    name,
    '\b(court|tribunal|ministry|commission|bureau|parliament|congress|senate|legislature|treasury|authority'
    || '|(stock|securities|mercantile|commodity|commodities|options) exchange|administration|agency'
    || '|(oversight|standards|reserve|labou?r relations) board|federal reserve|central bank'
    || '|(department|office|board) of|internal revenue|(patent|trademark) office|chamber of commerce'
    || '|(arbitration|bar) association|united nations|european union)\b'
    || '|^(the |u\.?s\.? )*(sec|fda|epa|irs|ftc|doj|fcc|osha|cftc|finra|nlrb|eeoc|uspto|ferc|fasb|iasb|pcaob'
    || '|nyse|nasdaq|amex|ema|epo|wipo|wto|ecb|fca|hmrc|bafin|aaa|icc|lcia|siac|jams|un|eu)\b',
    'i'
) AND NOT regexp_matches(
    name,
    '\b(insurance|travel|advertising|estate|staffing|employment|modell?ing|news|talent|shipping|creative|media'
    || '|collection|rating|ticket|literary|marketing|design) agency|\bagency\b.*\b(llc|ltd|limited|inc|gmbh|llp)\b',
    'i'
);
