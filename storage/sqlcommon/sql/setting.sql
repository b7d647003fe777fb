-- The memory settings of agents. locked has the switches that only a platform token can turn on
-- again. {setting.columns} differ between the databases, which name some columns differently.

-- setting.of selects the settings of agent $1.
SELECT {setting.columns} FROM setting WHERE agent = $1;

-- setting.all selects all settings, for a dump.
SELECT {setting.columns} FROM setting ORDER BY agent;

-- setting.insert inserts the settings of an agent that has none: $1 … $7 the columns.
INSERT INTO setting ({setting.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;
