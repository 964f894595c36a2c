import { SECOND } from '../../../../platform/clock.ts'
import { consoleLog } from '../../../../platform/log.ts'
import type { HourPart } from '../org-outbox.ts'
import type { RunningSums } from '../running-sums.ts'
import { isRoot, type Shard } from './shards.ts'

export const COPY_EVERY_MS = 30 * SECOND

type Root = {
	noteSums(shard: Shard, version: number, copies: HourPart[], now: number): Promise<void>
}

/** Sends the root of a split video copies of sums. They are whole, so it does not matter if one is lost or comes twice. */
export class RootCopies {
	readonly #kv: SyncKvStorage
	#sentAt = 0

	constructor(kv: SyncKvStorage) {
		this.#kv = kv
	}

	/** Sends a copy of the sums. Returns false if it must be sent again. */
	async send(
		sums: RunningSums,
		{ shard, durationMs }: { shard: Shard; durationMs: number },
		root: Root,
		now: number,
	): Promise<boolean> {
		if (isRoot(shard) || (now >= this.#sentAt && now - this.#sentAt < COPY_EVERY_MS)) return true
		const copies = sums.takeCopies(durationMs, now)
		if (copies.length === 0) return true
		const version = (this.#kv.get<number>('version') ?? 0) + 1
		this.#kv.put('version', version)
		try {
			await root.noteSums(shard, version, copies, now)
			this.#sentAt = now
			return true
		} catch (error) {
			sums.copiesWereLost()
			consoleLog.error('the sums of a shard could not be copied', error)
			return false
		}
	}
}
