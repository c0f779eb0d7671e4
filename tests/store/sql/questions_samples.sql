-- question: signatures
SELECT DISTINCT m.document_name, m.name, m.page, c.chunk_id, c.citation, c.text
FROM chunks AS c JOIN mentions AS m USING (chunk_id)
WHERE m.kind = 'person' AND regexp_matches(c.text, 'Signed\s+for')
  AND m.char_start > strpos(c.text, 'Signed for')
ORDER BY m.document_name, m.name
-- question: october
SELECT DISTINCT found.rank, found.document_name, d.value AS date, found.chunk_id,
       found.citation, found.text
FROM search('alarm that did not sound, siren, bridged relay', k => 30) AS found
JOIN dates AS d USING (chunk_id)
WHERE d.first_day >= '2024-10-01' AND d.last_day <= '2024-10-15'
ORDER BY found.rank, date
-- question: amended
SELECT later.name AS document_name, earlier.name AS amended, c.chunk_id, c.citation, c.text
FROM edges AS e
JOIN documents AS later ON later.document_id = e.source_id
JOIN documents AS earlier ON earlier.document_id = e.target_id
JOIN chunks AS c ON list_contains(e.evidence, c.chunk_id)
WHERE e.type = 'amends' AND later.name LIKE 'Amendment%'
-- question: around_the_clause
SELECT found.document_name, around.position, around.page, around.chunk_id,
       around.citation, around.text
FROM search('notice to terminate for convenience', k => 1,
            document => 'Master Services Agreement.pdf') AS found,
     context(found.chunk_id, 1) AS around
ORDER BY around.position
-- question: standards
SELECT r.name AS standard, c.document_name, k.chunk_id, k.citation, k.text
FROM "references" AS r
JOIN citations AS c USING (reference_id)
JOIN chunks AS k USING (chunk_id)
WHERE r.type = 'standard' AND r.document_count > 1 AND NOT c.repeated
ORDER BY standard, c.document_name
