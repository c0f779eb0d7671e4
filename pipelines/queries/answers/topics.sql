-- What the passages are about, the largest topic first, each with the chunks that are typical of it.
-- :param limit integer default 15 at most so many
FROM topics
ORDER BY CAST(split_part(topic_id, '-', 2) AS INTEGER)
LIMIT $limit;
