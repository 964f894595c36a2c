/** Reading in ranges of rowids begins after this one. SQLite counts from 1, but a key may be 0 or less. */
export const BEFORE_ALL_ROWS = Number.MIN_SAFE_INTEGER
