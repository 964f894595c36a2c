export type CsvCell = string | number | null

/** The cell of each column, by column name. */
export type CsvColumns<Row> = Record<string, (row: Row) => CsvCell>

/**
 * Where a spreadsheet would start a formula. Some split cells at semicolons or tabs even inside quotes, and some
 * treat full-width forms the same way.
 */
const FORMULA_START = /(?<=^|[;\t\r\n])(?=[=+\-@\t\r\n＝＋－＠])/g

/** Writes a table as CSV (RFC 4180) with a header line. Texts may be untrusted. */
export const writeCsv = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
	lineOf(Object.keys(columns)) + writeCsvLines(columns, rows)

/** Writes rows without the header line, for a table that is written in parts. */
export const writeCsvLines = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
	rows.map((row) => lineOf(Object.values(columns).map((cellOf) => cellOf(row)))).join('')

const lineOf = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CsvCell): string {
	if (cell === null) return ''
	if (typeof cell === 'number') return String(cell)
	const text = cell.replaceAll(FORMULA_START, "'")
	return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
