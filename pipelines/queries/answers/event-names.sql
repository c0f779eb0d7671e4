-- People and organisations in some passages, in the order of their places.
-- :param chunk_ids list ids of the passages, as '["...", "..."]'
SELECT chunk_id, name, text, char_start
FROM mentions
WHERE kind IN ('person', 'organization') AND chunk_id IN $chunk_ids
ORDER BY chunk_id, char_start, char_end, name;
