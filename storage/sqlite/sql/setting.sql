-- The memory settings of agents. locked has the switches that only a platform token can turn on
-- again.

-- {setting.columns} are the columns of an agent's settings.
agent, enabled, self, chat, user, default_ttl, locked

-- setting.put inserts or replaces the settings of an agent: $1 … $7 the columns.
INSERT INTO setting ({setting.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (agent) DO UPDATE SET enabled = excluded.enabled, self = excluded.self, chat = excluded.chat,
	user = excluded.user, default_ttl = excluded.default_ttl, locked = excluded.locked;
