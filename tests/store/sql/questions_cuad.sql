-- question: new_york
SELECT document_name, chunk_id, citation, text
FROM chunks
WHERE regexp_matches(
    text,
    '(govern|constru|interpret)[^.]{0,200}\blaws?\s+of\b[^.]{0,40}New\s+York',
    'is'
)
ORDER BY document_name, chunk_index
-- question: notice_periods
SELECT d.name AS document_name, found.chunk_id, found.citation, found.text,
       list(DISTINCT a.text) AS periods
FROM documents AS d,
     search('notice that a party will not renew, before the end of the term', k => 3,
            document => d.name) AS found
JOIN amounts AS a ON a.chunk_id = found.chunk_id
WHERE a.kind = 'quantity' AND a.unit IN ('day', 'business day', 'week', 'month', 'year')
  AND regexp_matches(found.text, 'noti(ce|fy)', 'is')
GROUP BY ALL
ORDER BY document_name
-- question: parties
SELECT m.document_name, m.name AS party, m.role, c.chunk_id, c.citation, c.text
FROM mentions AS m JOIN chunks AS c USING (chunk_id)
WHERE m.chunk_index <= 1 AND m.kind IN ('organization', 'person') AND NOT m.repeated
QUALIFY row_number() OVER (
    PARTITION BY m.document_id, m.entity_id ORDER BY m.chunk_index, m.char_start
) = 1
ORDER BY m.document_name, m.chunk_index, m.char_start
-- question: dated
SELECT e.document_name, e.value AS date, e.text AS date_text, c.chunk_id, c.citation, c.text
FROM dates AS e JOIN chunks AS c USING (chunk_id)
WHERE NOT e.repeated AND e.kind <> 'relative'
QUALIFY row_number() OVER (
    PARTITION BY e.document_id ORDER BY e.chunk_index, e.char_start
) <= 3
ORDER BY e.document_name, e.chunk_index, e.char_start
-- question: insurance
SELECT c.document_name, round(found.score, 2) AS score, c.chunk_id, c.citation, c.text,
       max(a.value) AS largest, arg_max(a.text, a.value) AS largest_text
FROM bm25(
    'shall maintain insurance coverage, policies and certificates of insurance', k => 60
) AS found
JOIN chunks AS c USING (chunk_id)
LEFT JOIN amounts AS a ON a.chunk_id = c.chunk_id AND a.kind = 'money'
WHERE c.text ILIKE '%insur%'
GROUP BY ALL
ORDER BY score DESC, c.chunk_id
-- question: largest
SELECT a.document_name, a.value, a.unit, a.text AS sum, c.chunk_id, c.citation, c.text
FROM amounts AS a JOIN chunks AS c USING (chunk_id)
WHERE a.kind = 'money' AND NOT a.repeated
QUALIFY row_number() OVER (
    PARTITION BY a.document_id ORDER BY a.value DESC, a.chunk_index, a.char_start
) = 1
ORDER BY a.value DESC
-- question: alike
SELECT twin.document_name, twin.similarity, twin.chunk_id, twin.citation, twin.text
FROM search('right to audit and inspect books and records', k => 1) AS example,
     similar(example.chunk_id, k => 500) AS twin
QUALIFY row_number() OVER (
    PARTITION BY twin.document_name ORDER BY twin.similarity DESC, twin.chunk_id
) <= 2
ORDER BY twin.similarity DESC, twin.chunk_id
