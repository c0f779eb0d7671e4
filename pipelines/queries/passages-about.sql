-- Passages that answer a question, the best first, each with its source.
-- :param question text what you want to know, in your own words
-- :param k integer default 10 how many passages
SELECT rank, citation, text
FROM search($question, k => $k)
ORDER BY rank;
