-- Names of people or firms that are probably the same one, the most mentioned first; total is the number without the limit. Two
-- names share a word of four letters or more that few names contain, and differ only in a sign, in the order of a person's
-- words, in an initial or a short form of the given name, in a middle name, or in one letter of a word of five letters or more,
-- but not its first. A name that fits more than two others is left out.
-- Pairs that the user keeps apart are left out.
-- :param limit integer default 50 largest number of rows
WITH named AS (
    SELECT
        entity_id, kind, name, mention_count,
        string_split(trim(regexp_replace(strip_accents(lower(name)), '[^a-z0-9]+', ' ', 'g')), ' ') AS words
    FROM entities
    WHERE kind IN ('person', 'organization')
),
word AS (
    SELECT DISTINCT entity_id, kind, unnest(words) AS word
    FROM named
),
rare AS (
    SELECT *
    FROM word
    WHERE len(word) >= 4
    QUALIFY count(*) OVER (PARTITION BY kind, word) <= 40
),
pair AS (
    SELECT DISTINCT one.entity_id AS entity_id, two.entity_id AS other_id
    FROM rare AS one
    JOIN rare AS two ON two.kind = one.kind AND two.word = one.word AND two.entity_id > one.entity_id
),
compared AS (
    SELECT
        one.entity_id, one.kind, one.name, one.mention_count,
        two.entity_id AS other_id, two.name AS other, two.mention_count AS other_mention_count,
        one.words AS a, two.words AS b,
        list_filter(list_zip(one.words, two.words), lambda w: w[1] IS DISTINCT FROM w[2]) AS changed
    FROM pair
    JOIN named AS one ON one.entity_id = pair.entity_id
    JOIN named AS two ON two.entity_id = pair.other_id
),
judged AS (
    SELECT
        *,
        CASE
            WHEN a = b THEN 'sign'
            WHEN kind = 'person' AND list_sort(a) = list_sort(b) THEN 'order'
            WHEN len(a) = len(b) AND len(changed) = 1 AND least(len(changed[1][1]), len(changed[1][2])) >= 5
                AND changed[1][1][1] = changed[1][2][1]
                AND NOT regexp_matches(changed[1][1] || changed[1][2], '[0-9]')
                AND damerau_levenshtein(changed[1][1], changed[1][2]) = 1 THEN 'letter'
            WHEN kind = 'person' AND len(a) > 1 AND len(b) > 1 AND a[-1] = b[-1] THEN
                CASE
                    WHEN a[1] = b[1] AND least(len(a), len(b)) = 2 THEN 'middle name'
                    WHEN len(a) = len(b) AND len(changed) > 1 THEN NULL
                    WHEN a[1] <> b[1] AND (starts_with(a[1], b[1]) OR starts_with(b[1], a[1]))
                        AND least(len(a[1]), len(b[1])) <> 2 THEN 'given name'
                END
        END AS difference
    FROM compared
),
told AS (
    SELECT *
    FROM judged
    WHERE difference IS NOT NULL
    QUALIFY greatest(
        count(*) OVER (PARTITION BY entity_id, difference), count(*) OVER (PARTITION BY other_id, difference)
    ) <= 2
)
SELECT
    kind, name, other, difference, mention_count, other_mention_count, entity_id, other_id, count(*) OVER () AS total
FROM told
WHERE NOT EXISTS (
        SELECT 1 FROM marks
        WHERE marks.kind = 'apart' AND state <> 'undone'
            AND list_sort([marks.entity_id, marks.other_id]) = [told.entity_id, told.other_id]
    )
ORDER BY least(mention_count, other_mention_count) DESC, mention_count + other_mention_count DESC, name, other
LIMIT $limit;
