import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { listAuditChain } from '#schema/contract/accounts/audit/audit-log.ts'
import { ChainHead, type ChainPage, ChainRow } from '#schema/contract/accounts/audit/chain.ts'
import type { Client } from '#schema/contract/kit/client.ts'
import { orderPageItems } from './page-items.ts'
import type { ChainItem } from './verify-chain.ts'

/** Reads the chain of a running installation, page by page. */
export async function* readChain(installation: Client<AbortSignal>): AsyncGenerator<ChainItem> {
	for (let after: number | null = 0; after !== null; ) {
		const { data }: { data: ChainPage } = await installation.call(listAuditChain, {
			query: { after: String(after) },
		})
		yield* orderPageItems(data)
		after = data.next
	}
}

const Time = z.object({ readAt: z.int() })
const Line = z.union([
	Time,
	z.object({ row: ChainRow }),
	z.object({ head: ChainHead }),
	z.object({ sealWithoutRow: z.int() }),
])

export class ChainFileError extends Error {
	override name = 'ChainFileError'
}

/** Reads a file that `--save` wrote, line by line. */
export async function* readChainFile(path: string): AsyncGenerator<ChainItem> {
	let number = 0
	let isDated = false
	for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
		number++
		if (line.trim() === '') continue
		const parsed = Line.safeParse(jsonOf(line))
		if (!parsed.success)
			throw new ChainFileError(
				`${path}: line ${number} is not a line that --save writes; save the file again`,
			)
		isDated ||= Time.safeParse(parsed.data).success
		if (!isDated)
			throw new ChainFileError(`${path} does not begin with the time of saving; save the file again`)
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
