import type { GlobalOptions } from './invocation.ts'
import type { Terminal } from './terminal.ts'

type Row = object

/** Prints one record: as JSON, or with a line for each field that is set. */
export function printRecord(terminal: Terminal, { json }: GlobalOptions, record: Row): void {
	if (json) {
		terminal.printJson(record)
		return
	}
	const entries = Object.entries(record).filter(([, value]) => printValue(value) !== '')
	const width = Math.max(0, ...entries.map(([name]) => name.length))
	// A line break in a value would look like the next field.
	for (const [name, value] of entries) terminal.print(`${name.padEnd(width)}  ${printOnLine(value)}`)
}

/**
 * Prints a list: one JSON object a line, or the given fields in columns. Where no person reads it, columns are separated by
 * tabs and each item is printed as soon as it arrives.
 */
export async function printRecords<Item extends Row>(
	terminal: Terminal,
	{ json }: GlobalOptions,
	items: Iterable<Item> | AsyncIterable<Item>,
	fields: readonly (keyof Item & string)[],
): Promise<void> {
	const rows: string[][] = []
	for await (const item of items) {
		if (json) terminal.printJson(item)
		else {
			const row = fields.map((field) => printOnLine(item[field]))
			if (terminal.isShown) rows.push(row)
			else terminal.print(row.join('\t'))
		}
	}
	for (const line of alignColumns([[...fields], ...rows], terminal.width))
		if (rows.length > 0) terminal.print(line)
}

/** Pads all columns but the last one, and cuts lines at the width of the terminal. */
export function alignColumns(rows: readonly (readonly string[])[], width: number): string[] {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
	return rows.map((row) => {
		const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
		return line.trimEnd().slice(0, width)
	})
}

const printOnLine = (value: unknown): string => printValue(value).replaceAll(/\s/g, ' ')

function printValue(value: unknown): string {
	if (value === null || value === undefined) return ''
	if (Array.isArray(value)) return value.map(printValue).join(' ')
	// For people: a duration of 40.045714 seconds is 40.05.
	if (typeof value === 'number') return String(Math.round(value * 100) / 100)
	return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
