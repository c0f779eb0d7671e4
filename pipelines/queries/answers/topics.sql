-- Subjects of the passages, the largest topic first, each with its typical chunks.
-- :param limit integer default 15 largest number of topics
FROM topics
ORDER BY CAST(split_part(topic_id, '-', 2) AS INTEGER)
LIMIT $limit;
