package postgres

// PostgreSQL caches the plan of a prepared statement until its tables are analyzed. A plan made
// while they were small may scan all entries of a store where it should probe an index: during
// an import it would soon take most of the time. So a connection discards its plans whenever
// the database has doubled.

const discardPlans = "DISCARD PLANS"

// minPlannedRows is the number of entries below which a scan is acceptable.
const minPlannedRows = 64

// plannedRows is the connection's key for the number of entries that this process had written
// when the connection last discarded its plans.
const plannedRows = "mneme.planned_rows"

// replan discards the plans of the connection before the next query, if rows has doubled since
// they were last discarded. rows is the number of entries that this process has written.
func (d *driver) replan(rows int64) {
	state := d.tx.PgConn().CustomData()
	planned, known := state[plannedRows].(int64)
	switch {
	case !known:
		state[plannedRows] = max(rows, minPlannedRows)
	case rows >= 2*planned:
		state[plannedRows] = rows
		d.queueStatement(discardPlans)
	}
}
