-- Who pays whom how much for what, as sentences state it ("Buyer shall pay Seller $5,000 for ..."), each with its source.
-- A party that the sentence does not name is empty; a passive sentence names only the payee.
-- :param document text default null words of the document's name; null for all
WITH sum AS (
    SELECT
        amount.*,
        chunk.citation,
        -- The sentence before the sum, and the words after it.
        regexp_extract(left(chunk.text, amount.char_start), '((?:\b(?:Inc|Ltd|Corp|Co|No)\.\s|[^.;]|\.[^\s])*)$', 1) AS ahead,
        regexp_extract(substr(chunk.text, amount.char_end + 1, 160), '^((?:[^.;:()\n]|\.[^\s])*)', 1) AS behind
    FROM amounts AS amount
    JOIN chunks AS chunk USING (chunk_id)
    WHERE amount.kind = 'money'
        AND amount.row_label IS NULL
        AND NOT amount.repeated
        AND ($document IS NULL OR contains(lower(amount.document_name), lower($document)))
),
stated AS (
    SELECT
        *,
        regexp_extract(
            regexp_replace(ahead, '\s+', ' ', 'g'),
            '((?:[Tt]he )?[A-Z][\w&''’-]*(?: (?:and |of )?[A-Z][\w&''’-]*(?:\b\.)?){0,4}) '
            || '(?:also |hereby |then )?(?:(?:shall|will|must|agrees? to|has agreed to|is obligated to|is required to) '
            || '(?:also |promptly |then )?(?:pay|reimburse)|paid|pays|has paid) '
            || '((?:to )?(?:the )?[A-Z][\w&''’-]*(?: (?:and |of )?[A-Z][\w&''’-]*(?:\b\.)?){0,4})? ?[^.;,£$€\d]{0,80}$',
            ['payer', 'payee']
        ) AS parties
    FROM sum
)
SELECT
    parties.payer AS payer,
    nullif(regexp_replace(parties.payee, '^to ', ''), '') AS payee,
    value,
    unit,
    nullif(trim(regexp_extract(behind, '\b(for .*|as .*|in consideration .*|per .*|each .*)$', 1)), '') AS what_for,
    citation,
    trim(right(ahead, 160) || text || left(behind, 120)) AS passage
FROM stated
WHERE parties.payer <> ''
ORDER BY document_name, chunk_index, char_start;
