-- People and organisations that some passages mention, in the order of their places.
-- :param chunks string ids of the passages, separated by commas
SELECT chunk_id, name, text, char_start
FROM mentions
WHERE kind IN ('person', 'organization') AND list_contains(string_split(CAST($chunks AS VARCHAR), ','), chunk_id)
ORDER BY chunk_id, char_start, char_end, name;
