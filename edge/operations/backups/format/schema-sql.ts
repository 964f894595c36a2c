/** Tables and indexes, without those of SQLite and Cloudflare. */
const OURS =
	"m.type in ('table', 'index') and m.sql is not null and m.name not glob 'sqlite_*' and m.name not glob '_cf_*'"

/**
 * Returns the query for the schema of a database, in an order in which it can be created: type, name and statement, and
 * further columns of `sqlite_master m`.
 */
export const buildSchemaQuery = (...columns: string[]): string =>
	`select ${['m.type', 'm.name', 'm.sql', ...columns].join(', ')} from sqlite_master m where ${OURS} order by m.type desc, m.rowid`

/**
 * Matches strings, quoted names and comments, which contain no tokens of SQL. As in SQLite, one without an end reaches
 * to the end of the text.
 */
const OPAQUE = /'[^']*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
const NAME = '(?:[\\p{L}\\p{N}_]+|"(?:[^"]|"")+"|`[^`]+`)'
const CREATES = new RegExp(`^create (?:table ${NAME}\\s*\\(|(?:unique )?index ${NAME}\\s+on\\b)`, 'iu')
/** Characters that end a statement or begin a parameter. In the name of a parameter, an apostrophe begins no string. */
const REFUSED = /[;$@#:?]/

/**
 * Returns whether a statement only creates a table with given columns, or an index, in the database itself. A backup may come
 * from anybody, and its statements run where it is restored.
 */
export const createsTableOrIndex = (sql: string): boolean =>
	CREATES.test(sql) && !REFUSED.test(sql.replaceAll(OPAQUE, ''))

export const sequencesQuery = 'select name, seq from sqlite_sequence'
