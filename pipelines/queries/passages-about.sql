-- Passages that answer a question, the best first, each with its source.
-- :param question text the question, in natural language
-- :param k integer default 10 number of passages
SELECT rank, citation, text
FROM search($question, k => $k)
ORDER BY rank;
