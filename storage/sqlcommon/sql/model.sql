-- The models of vectors, by fingerprint. When a model is dropped, its fingerprint is replaced by
-- a name: the word dropped, its number, and the fingerprint, with spaces between them.

-- model.number selects the number of fingerprint $1.
SELECT number FROM model WHERE fingerprint = $1;

-- model.insert gives fingerprint $1 a number, unless it has one.
INSERT INTO model (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING;

-- {model.is_dropped} is the condition of dropped models.
fingerprint >= 'dropped ' AND fingerprint < 'dropped!'

-- model.dropped selects the names of dropped models, their fingerprints, and whether there is
-- a model with the same fingerprint again.
SELECT name, dropped, EXISTS (SELECT 1 FROM model WHERE fingerprint = dropped) FROM
	(SELECT fingerprint AS name, substr(fingerprint, length('dropped ' || number || ' ') + 1) AS dropped FROM model WHERE {model.is_dropped}) d;
