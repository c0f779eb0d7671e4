-- Documents related to a document, the strongest relation first: one row for each relation. Several
-- relations to the same document add up as independent evidence: 1 - (1 - w1) * (1 - w2) ...
-- total is the number of documents without the limit.
-- :param document_id text an id of the view documents
-- :param relation text default 'all' a type of edge between documents, or all
-- :param limit integer default 10 largest number of documents; null for all
WITH edge AS (
    SELECT *, CASE source_id WHEN $document_id THEN target_id ELSE source_id END AS other_id
    FROM edges
    WHERE source_kind = 'document'
        AND $document_id IN (source_id, target_id)
        AND $relation IN ('all', type)
),
related AS (
    SELECT
        other_id, document.name, document.path,
        1 - product(1 - least(greatest(edge.weight::DOUBLE, 0), 1)
                    ORDER BY edge.type, edge.weight) AS strength,
        count(*) OVER () AS total
    FROM edge JOIN documents AS document ON document.document_id = other_id
    WHERE other_id <> $document_id
    GROUP BY other_id, document.name, document.path
    ORDER BY round(strength, 9) DESC, document.name, document.path, other_id
    LIMIT $limit
)
SELECT
    other_id AS document_id, name, strength, type, weight, count,
    CASE WHEN directed THEN source_id = $document_id END AS outgoing,
    evidence, words_start, words_end, basis, position, source_id, target_id, total
FROM related JOIN edge USING (other_id)
ORDER BY
    round(strength, 9) DESC, name, path, other_id,
    weight DESC,
    list_position(['shared_entities', 'shared_references', 'semantic', 'explicit', 'version', 'response_to', 'amends',
                   'attachment', 'restates', 'supplements', 'schedule_of', 'exhibit_of', 'made_under', 'bills',
                   'interim_of', 'forward_of', 'same_thread', 'same_file', 'copy'], type),
    outgoing, source_id, target_id;
