/** Tables and indexes, without those of SQLite and Cloudflare. */
const OURS =
	"m.type in ('table', 'index') and m.sql is not null and m.name not glob 'sqlite_*' and m.name not glob '_cf_*'"

/**
 * Returns the query for the schema of a database, in an order in which it can be created: type, name and statement, and
 * further columns of `sqlite_master m`.
 */
export const schemaQuery = (...columns: string[]): string =>
	`select ${['m.type', 'm.name', 'm.sql', ...columns].join(', ')} from sqlite_master m where ${OURS} order by m.type desc, m.rowid`

export const sequencesQuery = 'select name, seq from sqlite_sequence'
