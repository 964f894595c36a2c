import { HOUR, MINUTE } from '../../platform/clock.ts'

/** Milliseconds of video by quality (`720p`). */
export type Qualities = Record<string, number>

/** Everything that one source has counted. A higher version replaces a lower one. */
export type ServedCount = { source: string; month: string; version: number; qualities: Qualities }

type Source = {
	id: string
	openedAt: number
	version: number
	qualities: Qualities
	/** When somebody began to send what is counted; null if all is sent. */
	sendingSince: number | null
}

/** A source is not used for longer, so that its count can be added to others some days later. */
const SOURCE_LIFE_MS = HOUR
/** A request that wanted to send may have ended before. */
const SENDING_LIFE_MS = MINUTE
const MAX_SOURCES = 1_000

/**
 * What this isolate has served of signed videos, by organization and month. An isolate says the whole count of a source
 * each time, so it does not matter if that arrives twice.
 */
export class ServedCounts {
	readonly #newId: () => string
	readonly #sources = new Map<string, Source>()

	constructor(newId: () => string) {
		this.#newId = newId
	}

	/** Returns whether the caller must send the count: nobody else is about to. */
	add(orgId: string, month: string, { quality, ms }: { quality: string; ms: number }, now: number): boolean {
		const source = this.#sourceOf(`${orgId} ${month}`, now)
		source.qualities[quality] = (source.qualities[quality] ?? 0) + ms
		const since = source.sendingSince
		if (since !== null && now >= since && now - since < SENDING_LIFE_MS) return false
		source.sendingSince = now
		return true
	}

	/** Returns what is to be sent; null if there is nothing. */
	take(orgId: string, month: string): ServedCount | null {
		const source = this.#sources.get(`${orgId} ${month}`)
		if (!source) return null
		source.sendingSince = null
		source.version++
		return { source: source.id, month, version: source.version, qualities: { ...source.qualities } }
	}

	#sourceOf(key: string, now: number): Source {
		const known = this.#sources.get(key)
		const isOld = known && (now < known.openedAt || now - known.openedAt > SOURCE_LIFE_MS)
		// What is not sent yet belongs to the old source.
		if (known && (!isOld || known.sendingSince !== null)) return known
		if (this.#sources.size >= MAX_SOURCES)
			for (const [other, { sendingSince }] of this.#sources)
				if (sendingSince === null) this.#sources.delete(other)
		const opened = { id: this.#newId(), openedAt: now, version: 0, qualities: {}, sendingSince: null }
		this.#sources.set(key, opened)
		return opened
	}
}
