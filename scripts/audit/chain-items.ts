import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { Client } from '#schema/contract/kit/client.ts'
import { listAuditChain } from '#schema/contract/platform/audit/audit-log.ts'
import { ChainHead, ChainRow } from '#schema/contract/platform/audit/chain.ts'
import type { ChainItem } from './verify-chain.ts'

/** Reads the chain of a running installation, page by page. */
export async function* chainOf(installation: Client<AbortSignal>): AsyncGenerator<ChainItem> {
	for (let after: number | null = 0; after !== null; ) {
		const { data }: { data: { rows: ChainRow[]; heads: ChainHead[]; next: number | null } } =
			await installation.call(listAuditChain, { query: { after: String(after) } })
		yield* merged(data.rows, data.heads)
		after = data.next
	}
}

/** Orders rows and heads by position, each head after its row. */
function* merged(rows: readonly ChainRow[], heads: readonly ChainHead[]): Generator<ChainItem> {
	let next = 0
	for (const row of rows) {
		for (let head = heads[next]; head && head.position < row.position; head = heads[++next]) yield { head }
		yield { row }
	}
	for (const head of heads.slice(next)) yield { head }
}

const Line = z.union([z.object({ row: ChainRow }), z.object({ head: ChainHead })])

export class ChainFileError extends Error {
	override name = 'ChainFileError'
}

/** Reads a file that `--save` wrote, line by line. */
export async function* chainInFile(path: string): AsyncGenerator<ChainItem> {
	let number = 0
	for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
		number++
		if (line.trim() === '') continue
		const parsed = Line.safeParse(jsonOf(line))
		if (!parsed.success)
			throw new ChainFileError(
				`${path}: line ${number} is not a line that --save writes; save the file again`,
			)
		yield parsed.data
	}
}

function jsonOf(line: string): unknown {
	try {
		return JSON.parse(line)
	} catch {
		return undefined
	}
}
