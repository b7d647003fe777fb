-- The models of vectors.

-- model.drop drops the models with other fingerprints than $1.
UPDATE model SET fingerprint = 'dropped ' || number || ' ' || fingerprint
	WHERE NOT (fingerprint IN (SELECT value FROM json_each($1)) OR {model.is_dropped});

-- model.forget deletes the dropped models with names $1.
DELETE FROM model WHERE fingerprint IN (SELECT value FROM json_each($1));
