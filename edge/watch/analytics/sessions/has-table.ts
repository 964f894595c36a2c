/** An object that was only asked for a count has no tables, and costs nothing. */
export const hasTable = (sql: SqlStorage, name: string): boolean =>
	sql.exec("select 1 from sqlite_master where type = 'table' and name = ?", name).toArray().length > 0
