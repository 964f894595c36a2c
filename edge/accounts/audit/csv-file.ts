import { writeCsv, writeCsvLines } from '../../platform/csv.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Position } from '../../platform/database/keyset.ts'
import { formatAttachmentHeader } from '../../platform/network/header-values.ts'
import { type AuditFilter, type AuditRow, auditStore } from './store.ts'
import { entryColumns } from './view.ts'

const PAGE_ROWS = 500
const MAX_ROWS = 100_000

/** Streams the entries as CSV. Reads page by page while the client reads, so memory does not limit the size. */
export function answerWithCsv(
	db: Db,
	filter: AuditFilter,
	name: string,
	shown: (row: AuditRow) => AuditRow = (row) => row,
): Response {
	const work = linesOf(db, filter, shown)
	const encoder = new TextEncoder()
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { done, value } = await work.next()
			if (done) controller.close()
			else controller.enqueue(encoder.encode(value))
		},
		async cancel() {
			await work.return(undefined)
		},
	})
	return new Response(body, {
		headers: {
			'content-type': 'text/csv; charset=utf-8',
			'content-disposition': formatAttachmentHeader(name),
		},
	})
}

async function* linesOf(
	db: Db,
	filter: AuditFilter,
	shown: (row: AuditRow) => AuditRow,
): AsyncGenerator<string, void> {
	yield writeCsv(entryColumns, [])
	let position: Position | null = null
	for (let sent = 0; sent < MAX_ROWS; sent += PAGE_ROWS) {
		const found = await auditStore(db).list(filter, PAGE_ROWS, position)
		const rows = found.slice(0, PAGE_ROWS)
		const last = rows.at(-1)
		if (!last) return
		yield writeCsvLines(entryColumns, rows.map(shown))
		if (found.length <= PAGE_ROWS) return
		position = [last.createdAt, last.position]
	}
}
