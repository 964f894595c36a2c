/** Less than every rowid: SQLite counts from 1, but a key may be 0 or negative. */
export const BEFORE_ALL_ROWS = Number.MIN_SAFE_INTEGER
