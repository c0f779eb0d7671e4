-- The most important entities: the first of all, and the first of the people and organisations. Each
-- document that mentions an entity (copies of a mail count as one) adds the logarithm of its mentions,
-- so that a name in thirty documents comes before one that a single document repeats, times the weight of
-- its role in the document: four for the issuer of a report or release, three for another name on its card and
-- if the text states another role (a party's term, a signature, the head of a mail), half of that in a document with
-- an issuer, two if it is defined, one if it
-- is among the most frequent names of the document, a quarter otherwise. All mails count as one document with the
-- number of mails, so that a folder of mails does not hide the parties of a contract. Courts, agencies and
-- exchanges count a twentieth without another role than court. The role of an issuer that is no party is issuer. A place counts
-- once and a concept half, times the rarity ln(1 + N / n) / ln(1 + N) in n of N documents; of ten documents or
-- more, one in more than a third counts nothing. Each entity has its most informative place: the first of those
-- with its name and role, defined ones first; otherwise the first with a definition, with its full name, or with
-- one of its names.
-- :param limit integer default 10 largest number of each
WITH stated AS (
    SELECT
        document_id,
        format IN ('eml', 'msg', 'mbox') AS is_mail,
        CASE WHEN document_type NOT IN ('correspondence', 'paper') THEN issuer END AS issuer,
        list_transform(card, lambda fact: lower(fact.value)) AS named,
        list_transform(list_filter(card, lambda fact: fact.field = 'party'), lambda fact: lower(fact.value)) AS parties
    FROM documents
),
held AS (
    SELECT
        entity_id,
        CASE WHEN is_mail THEN 'mail' ELSE document_id END AS document_id,
        kind IN ('person', 'organization') AS is_actor,
        CASE WHEN is_mail THEN count(DISTINCT document_id) ELSE count(*) END AS places,
        bool_or(role <> 'court') AS has_role,
        coalesce(bool_or(text = issuer), false) AS is_issuer,
        bool_or(issuer IS NOT NULL) AS is_issued,
        bool_or(NOT is_mail AND list_contains(named, lower(replace(text, chr(10), ' ')))) AS on_card,
        coalesce(bool_or(list_contains(parties, lower(replace(text, chr(10), ' ')))), false) AS is_party,
        bool_or(found_by = 'defined') AS is_defined
    FROM mentions
    JOIN stated USING (document_id)
    WHERE NOT repeated AND kind IN ('person', 'organization', 'location', 'concept')
    GROUP BY entity_id, is_mail, is_actor, CASE WHEN is_mail THEN 'mail' ELSE document_id END
),
whole AS (
    SELECT document_id, sum(places)::BIGINT AS places FROM held WHERE is_actor GROUP BY document_id
),
named AS (
    SELECT
        entity_id, kind, mention_count,
        ln(1 + documents / document_count) / ln(1 + documents) AS rare,
        kind = 'organization' AND is_public_body(name) AS is_public
    FROM entities CROSS JOIN (SELECT count(*) AS documents FROM documents)
    WHERE kind IN ('person', 'organization')
        OR kind IN ('location', 'concept') AND (documents < 10 OR document_count <= documents / 3)
),
worth AS (
    SELECT
        entity_id, is_actor,
        any_value(mention_count) AS mention_count,
        bool_or(is_issuer AND kind = 'organization') AND NOT bool_or(is_party) AS is_issuer,
        -- Rounded, so that the order of summation has no effect.
        round(sum((1 + ln(held.places)) * CASE
            WHEN kind = 'location' THEN rare
            WHEN kind = 'concept' THEN rare / 2
            WHEN is_issuer THEN 4
            WHEN on_card OR has_role AND NOT is_issued THEN 3
            WHEN has_role THEN 1.5::DOUBLE
            WHEN is_public THEN 0.05::DOUBLE
            WHEN is_defined THEN 2
            WHEN 10 * held.places >= whole.places THEN 1
            ELSE 0.25::DOUBLE
        END), 6) AS worth
    FROM held JOIN named USING (entity_id) LEFT JOIN whole USING (document_id)
    GROUP BY ALL
),
ranked AS (
    SELECT
        entity_id, is_issuer,
        row_number() OVER (ORDER BY worth DESC, mention_count DESC, entity_id) AS rank,
        CASE WHEN is_actor THEN row_number() OVER (
            PARTITION BY is_actor ORDER BY worth DESC, mention_count DESC, entity_id
        ) END AS actor_rank
    FROM worth
),
chosen AS (
    SELECT entity.* REPLACE (CASE WHEN is_issuer THEN 'issuer' ELSE role END AS role), is_issuer, rank, actor_rank
    FROM entities AS entity JOIN ranked USING (entity_id)
    WHERE rank <= $limit OR actor_rank <= $limit
),
spoken AS MATERIALIZED (
    SELECT
        entity_id, document_id, chunk_id, chunk_index, char_start, char_end, text, repeated, role, found_by, confidence
    FROM mentions SEMI JOIN chosen USING (entity_id)
    WHERE NOT boilerplate
),
counted AS (
    SELECT
        entity_id,
        count(*) FILTER (NOT repeated)::INTEGER AS mention_count,
        count(DISTINCT chunk_id)::INTEGER AS chunk_count,
        count(DISTINCT document_id)::INTEGER AS document_count
    FROM spoken
    GROUP BY entity_id
),
ordered AS (
    SELECT document_id, row_number() OVER (ORDER BY lower(name), path, document_id) AS position FROM documents
),
place AS (
    SELECT
        entity_id, chunk_id, char_start, char_end, found_by, position, chunk_index,
        -- A word for its role ("the Landlord") refers to it and is not a name.
        CASE
            WHEN NOT (contains(lower(chosen.name), lower(mention.text)) OR list_contains(aliases, mention.text)) THEN 0
            WHEN mention.role = chosen.role AND NOT is_issuer THEN 4
            WHEN found_by = 'defined' THEN 3
            WHEN mention.text = chosen.name THEN 2
            ELSE 1
        END AS tells
    FROM spoken AS mention
    JOIN chosen USING (entity_id)
    JOIN ordered USING (document_id)
    WHERE NOT repeated
),
best AS (
    SELECT
        entity_id,
        arg_min({'chunk_id': chunk_id, 'char_start': char_start, 'char_end': char_end},
                {'tells': -tells, 'unsure': CASE WHEN tells = 4 AND found_by = 'defined' THEN 0 ELSE 1 END, 'chunk': chunk_index,
                 'start': char_start, 'document': position, 'end': char_end}) AS place
    FROM place
    GROUP BY entity_id
)
SELECT
    chosen.* EXCLUDE (is_issuer) REPLACE (
        counted.mention_count AS mention_count,
        counted.chunk_count AS chunk_count,
        counted.document_count AS document_count
    ),
    place.chunk_id, place.char_start, place.char_end
FROM chosen JOIN counted USING (entity_id) LEFT JOIN best USING (entity_id)
ORDER BY rank;
