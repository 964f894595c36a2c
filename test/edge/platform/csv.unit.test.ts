import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvCell, writeCsv } from '../../../edge/platform/csv.ts'

/** Reads CSV character by character, as RFC 4180 says. */
function readCsv(text: string): string[][] {
	const rows: string[][] = []
	let row: string[] = []
	let at = 0
	while (at < text.length) {
		let cell = ''
		if (text[at] === '"') {
			for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
				if (at >= text.length) throw new Error('a quoted cell has no end')
				cell += text[at]
				if (text[at] === '"') at++
			}
			at++
		} else while (!['"', ',', '\r', '\n'].includes(text[at] as string)) cell += text[at++]
		row.push(cell)
		if (text[at] === ',') {
			at++
			continue
		}
		if (text.slice(at, at + 2) !== '\r\n') throw new Error(`a cell does not end at ${at}`)
		at += 2
		rows.push(row)
		row = []
	}
	return rows
}

const oneColumn = (cells: readonly CsvCell[]) =>
	writeCsv({ 'a name, "quoted"': (cell: CsvCell) => cell }, cells)
const hostileText = fc.string({
	unit: fc.constantFrom('=', '+', '-', '@', '＝', '\t', '\r', '\n', '"', "'", ',', ';', ' ', 'a', '1', 'é'),
	maxLength: 12,
})

describe('CSV', () => {
	test('CSV has a header line, lines that end with CR LF, and quotes only where they are needed', () => {
		expect(
			writeCsv({ host: ({ host }) => host, views: ({ views }) => views }, [
				{ host: 'blog.example', views: 3 },
				{ host: 'a "b", c', views: -1 },
				{ host: null, views: 0.25 },
			]),
		).toBe('host,views\r\nblog.example,3\r\n"a ""b"", c",-1\r\n,0.25\r\n')
		expect(writeCsv({ host: () => '' }, [])).toBe('host\r\n')
	})

	test.each([
		['=1+1', "'=1+1"],
		['+1', "'+1"],
		['-1', "'-1"],
		['@SUM(A1)', "'@SUM(A1)"],
		['\t=1', '"\'\t\'=1"'],
		['\r=1', '"\'\r\'=1"'],
		['＝1', "'＝1"],
		['a;=1', '"a;\'=1"'],
		['a=1-2', 'a=1-2'],
	])('a CSV cell with the text %j becomes %j, which is no formula in a spreadsheet', (text, written) => {
		expect(oneColumn([text])).toBe(`"a name, ""quoted"""\r\n${written}\r\n`)
	})

	test('CSV can be parsed again, and no cell of it is a formula, whatever separates the cells', () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(hostileText, hostileText)), (rows) => {
				const text = writeCsv({ left: ([left]) => left, right: ([, right]) => right }, rows)
				const [header, ...cells] = readCsv(text)
				expect(header).toEqual(['left', 'right'])
				expect(cells.map((row) => row.map((cell) => cell.replaceAll("'", '')))).toEqual(
					rows.map((row) => row.map((cell) => cell.replaceAll("'", ''))),
				)
				for (const cell of cells.flat().flatMap((whole) => [whole, ...whole.split(/[;\t\r\n]/)]))
					expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/)
			}),
		)
	})
})
