import { HOUR, MINUTE } from '../../../platform/clock.ts'
import { consoleLog } from '../../../platform/log.ts'
import { boundSums, type Sums } from '../sums/sums.ts'
import { addSumsOfDuration } from './hour-sums.ts'

/** The sums of closed sessions that began in one hour. An organization has many videos, so they have no curves. */
export type HourPart = { hour: number; sums: Sums }
/** What an object sends to the object of its organization. The same number is always the same batch. */
export type OrgBatch = { number: number; parts: HourPart[] }

/** An object of a video. */
export type BatchSource = { name: string; playbackId: string; isSigned: boolean }
export type Receiver = { add(from: BatchSource, batch: OrgBatch): Promise<void> }

type Batch = { number: number; sending: HourPart[] }

/** A session lasts at most a day. After a long outage, the oldest hours are counted together. */
const MAX_HOURS = 26
/** A stored value has at most 2 MB, so each list has its own. */
const BATCH_KEY = 'for-org'
const NEXT_KEY = 'for-org-next'
const SEND_EVERY_MS = 5 * MINUTE
const MAX_WAIT_MS = HOUR

/**
 * The sums of closed sessions that the organization does not have yet. A batch does not change until it has arrived, so
 * the receiver recognizes a repeated one by its number, and each session counts once.
 */
export class OrgOutbox {
	readonly #kv: SyncKvStorage
	#batch: Batch
	#next: HourPart[]
	#triedAt = Number.NEGATIVE_INFINITY
	#waitMs = SEND_EVERY_MS
	/** Settles when the last batch has arrived or failed. */
	#attempt: Promise<void> | null = null

	constructor(kv: SyncKvStorage) {
		this.#kv = kv
		this.#batch = kv.get<Batch>(BATCH_KEY) ?? { number: 0, sending: [] }
		this.#next = kv.get<HourPart[]>(NEXT_KEY) ?? []
	}

	/** Must run in the transaction that removes the sessions. */
	add(parts: readonly HourPart[]): void {
		if (parts.length === 0) return
		const bare = parts.map(({ hour, sums }) => ({ hour, sums: { ...sums, curve: null } }))
		if (this.#isEmpty) this.#putBatch(this.#batch.number + 1, mergeParts(bare))
		else this.#putNext(mergeParts([...this.#next, ...bare]))
	}

	/** Sends the next batch if it is due. Returns when to call this again; null if the organization has everything. */
	async send(to: Receiver, from: BatchSource, now: number): Promise<number | null> {
		if (this.#isEmpty) return null
		const isDue = now < this.#triedAt || now - this.#triedAt >= this.#waitMs
		if (!isDue) return this.#triedAt + this.#waitMs
		this.#triedAt = now
		try {
			await this.#sendBatch(to, from)
			this.#waitMs = SEND_EVERY_MS
		} catch (error) {
			this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS)
			consoleLog.error('sums could not be sent to the object of the organization', error)
		}
		return this.#isEmpty ? null : now + this.#waitMs
	}

	/** Sends everything now. Throws if it does not arrive. */
	async sendAll(to: Receiver, from: BatchSource): Promise<void> {
		while (!this.#isEmpty) await this.#sendBatch(to, from)
	}

	get #isEmpty(): boolean {
		return this.#batch.sending.length === 0
	}

	/** A batch that is on its way is not sent a second time. */
	#sendBatch(to: Receiver, from: BatchSource): Promise<void> {
		this.#attempt ??= this.#deliver(to, from).finally(() => {
			this.#attempt = null
		})
		return this.#attempt
	}

	async #deliver(to: Receiver, { name, playbackId, isSigned }: BatchSource): Promise<void> {
		const { number, sending } = this.#batch
		await to.add({ name, playbackId, isSigned }, { number, parts: sending })
		// The storage may have been deleted meanwhile.
		if (this.#kv.get<Batch>(BATCH_KEY)?.number !== number) {
			this.#batch = { number, sending: [] }
			this.#next = []
			return
		}
		const isMore = this.#next.length > 0
		this.#putBatch(isMore ? number + 1 : number, this.#next)
		if (isMore) this.#putNext([])
	}

	#putBatch(number: number, sending: HourPart[]): void {
		this.#batch = { number, sending }
		this.#kv.put(BATCH_KEY, this.#batch)
	}

	#putNext(next: HourPart[]): void {
		this.#next = next
		if (next.length > 0) this.#kv.put(NEXT_KEY, next)
		else this.#kv.delete(NEXT_KEY)
	}
}

/** Adds parts of the same hour. Of too many hours, the oldest become one. */
function mergeParts(parts: readonly HourPart[]): HourPart[] {
	const hours = [...new Set(parts.map(({ hour }) => hour))].toSorted((a, b) => a - b)
	const earliest = hours.at(-MAX_HOURS) ?? 0
	const byHour = Map.groupBy(parts, ({ hour }) => Math.max(hour, earliest))
	return [...byHour].map(([hour, group]) => ({
		hour,
		sums: boundSums(
			addSumsOfDuration(
				group.map(({ sums }) => sums),
				0,
			),
		),
	}))
}
