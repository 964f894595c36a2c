import { MINUTE } from '../../platform/clock.ts'
import { consoleLog } from '../../platform/log.ts'
import { addAllSums, boundSums, type Sums } from '../sums/sums.ts'

/** The sums of closed sessions that began in one hour. An organization has many videos, so they have no curves. */
export type HourPart = { hour: number; sums: Sums }
/** What an object sends to the object of its organization. The same number is always the same batch. */
export type OrgBatch = { number: number; parts: HourPart[] }

/** An object of a video. */
export type Sender = { name: string; playbackId: string; isSigned: boolean }
/** The object of the organization. */
export type Receiver = { add(sender: Sender, batch: OrgBatch): Promise<void> }

type Stored = { number: number; sending: HourPart[]; next: HourPart[] }

/** After a long outage, the oldest hours are counted together: a stored value has at most 2 MB. */
const MAX_HOURS = 12
const KEY = 'for-org'
const SEND_EVERY_MS = 5 * MINUTE

/**
 * The sums of closed sessions that the organization does not have yet. A batch does not change until it has arrived, so
 * the receiver recognizes a repeated one by its number, and each session counts once.
 */
export class OrgOutbox {
	readonly #kv: SyncKvStorage
	#stored: Stored
	#triedAt = Number.NEGATIVE_INFINITY

	constructor(kv: SyncKvStorage) {
		this.#kv = kv
		this.#stored = kv.get<Stored>(KEY) ?? { number: 0, sending: [], next: [] }
	}

	/** Belongs into the transaction that removes the sessions. */
	add(parts: readonly HourPart[]): void {
		if (parts.length === 0) return
		const bare = parts.map(({ hour, sums }) => ({ hour, sums: { ...sums, curve: null } }))
		const { number, sending, next } = this.#stored
		this.#put(
			sending.length === 0
				? { number: number + 1, sending: mergeParts(bare), next }
				: { number, sending, next: mergeParts([...next, ...bare]) },
		)
	}

	/** Sends the next batch if it is due. Returns when to call this again; null if the organization has everything. */
	async send(to: Receiver, { name, playbackId, isSigned }: Sender, now: number): Promise<number | null> {
		const { number, sending } = this.#stored
		if (sending.length === 0) return null
		const isDue = now < this.#triedAt || now - this.#triedAt >= SEND_EVERY_MS
		if (!isDue) return this.#triedAt + SEND_EVERY_MS
		this.#triedAt = now
		try {
			await to.add({ name, playbackId, isSigned }, { number, parts: sending })
			this.#arrived(number)
		} catch (error) {
			consoleLog.error('sums could not be sent to the object of the organization', error)
		}
		return this.#stored.sending.length === 0 ? null : now + SEND_EVERY_MS
	}

	#arrived(number: number): void {
		const { number: current, next } = this.#stored
		// Another call may have sent the same batch meanwhile.
		if (number === current)
			this.#put({ number: next.length > 0 ? number + 1 : number, sending: next, next: [] })
	}

	#put(stored: Stored): void {
		this.#kv.put(KEY, stored)
		this.#stored = stored
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
			addAllSums(
				group.map(({ sums }) => sums),
				0,
			),
		),
	}))
}
