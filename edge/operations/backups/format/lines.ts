/** What SQLite stores in our tables. None has blobs. */
export type Value = string | number | null

/** A row, or its absence, at the time when it was read. */
export type Entry = {
	table: string
	columns: readonly string[]
	rowid: number
	/** The values of `columns`; null if the row was deleted before it was read. */
	values: readonly Value[] | null
}

type TableLine = { table: string; columns: readonly string[] }

/**
 * Collects the lines of a chunk. A line with an object names the table and the columns of the lines after it. A line with
 * an array is a row: its rowid and its values, or its rowid alone if the row was deleted.
 */
export class ChunkLines {
	#lines: string[] = []
	#table: string | null = null
	#length = 0

	/** The length of the text in UTF-16 units. */
	get length(): number {
		return this.#length
	}

	get isEmpty(): boolean {
		return this.#lines.length === 0
	}

	addRow(table: TableLine, rowid: number, values: readonly unknown[]): void {
		this.#startTable(table)
		for (const [at, value] of values.entries()) {
			const isStorable =
				value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
			if (!isStorable)
				throw new Error(`${table.table}.${table.columns[at]} of row ${rowid} has a value of unknown type`)
		}
		this.#add(JSON.stringify([rowid, ...values]))
	}

	addDeletion(table: TableLine, rowid: number): void {
		this.#startTable(table)
		this.#add(JSON.stringify([rowid]))
	}

	toString(): string {
		return this.#lines.map((line) => `${line}\n`).join('')
	}

	#startTable({ table, columns }: TableLine): void {
		if (this.#table === table) return
		this.#table = table
		this.#add(JSON.stringify({ table, columns }))
	}

	#add(line: string): void {
		this.#lines.push(line)
		this.#length += line.length + 1
	}
}

export function* parseEntries(text: string): Generator<Entry> {
	let current: TableLine | null = null
	for (const line of text.split('\n')) {
		if (line === '') continue
		const parsed: TableLine | [number, ...Value[]] = JSON.parse(line)
		if (!Array.isArray(parsed)) {
			current = parsed
			continue
		}
		if (!current) throw new Error('the chunk has a row before the line that names its table')
		const [rowid, ...values] = parsed
		if (values.length !== 0 && values.length !== current.columns.length)
			throw new Error(`row ${rowid} of ${current.table} has ${values.length} values`)
		yield { ...current, rowid, values: values.length === 0 ? null : values }
	}
}
