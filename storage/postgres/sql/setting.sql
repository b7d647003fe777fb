-- The memory settings of agents. locked has the switches that only a platform token can turn on
-- again.

-- {setting.columns} are the columns of an agent's settings.
agent, enabled, own, chats, users, default_ttl, locked

-- setting.put inserts or replaces the settings of an agent: $1 … $7 the columns.
INSERT INTO setting ({setting.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (agent) DO UPDATE SET enabled = excluded.enabled, own = excluded.own, chats = excluded.chats,
	users = excluded.users, default_ttl = excluded.default_ttl, locked = excluded.locked;
