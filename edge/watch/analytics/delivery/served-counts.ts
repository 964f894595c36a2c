import type { Access, ByQuality } from '../../../accounts/orgs/usage/delivered.ts'
import { DAY, HOUR, MINUTE } from '../../../platform/clock.ts'
import { addAmounts, mapRecord } from '../sums/records.ts'

/** The cumulative count of a source. A higher version replaces a lower one. */
export type ServedCount = {
	source: string
	month: string
	/** A Worker of an earlier release sends none, and counts signed video. */
	access?: Access
	version: number
	qualities: ByQuality
}

type Source = {
	id: string
	orgId: string
	access: Access
	month: string
	openedAt: number
	version: number
	/** The highest version that the organization has received. */
	arrivedVersion: number
	/** In fractional milliseconds. */
	qualities: ByQuality
}

/** A source is open for an hour, then it no longer changes. */
const COUNTING_MS = HOUR
/** After this time the organization may have merged the source into its month, and would count it twice. */
export const SENDING_MS = DAY
/** After this time, a request that was about to send is assumed to have ended without sending. */
const SENDER_LIFE_MS = MINUTE
const MAX_SOURCES = 1_000
/** The number of counts of other organizations sent with those of one, because a request may call few objects. */
const MAX_OF_OTHERS = 10

/**
 * The video that this isolate has served, by organization, access and month. Messages contain cumulative counts, so
 * duplicates are harmless. A source is kept until its last version is acknowledged.
 */
export class ServedCounts {
	readonly #newId: () => string
	readonly #maxSources: number
	/** The oldest first. */
	readonly #sources = new Map<string, Source>()
	/** The source to which served video is added, by organization, access and month. */
	readonly #counting = new Map<string, Source>()
	/** When a request announced that it will send the counts of an organization. */
	readonly #sendingSince = new Map<string, number>()

	constructor(newId: () => string, maxSources = MAX_SOURCES) {
		this.#newId = newId
		this.#maxSources = maxSources
	}

	/** Returns true if the caller must send the counts of the organization because no other request will. */
	add(
		orgId: string,
		month: string,
		{ access, quality, ms }: { access: Access; quality: string; ms: number },
		now: number,
	): boolean {
		const source = this.#sourceOf(orgId, access, month, now)
		source.qualities = addAmounts(source.qualities, { [quality]: ms })
		source.version++
		if (this.#isBeingSent(orgId, now)) return false
		this.#sendingSince.set(orgId, now)
		return true
	}

	/** Returns the pending counts of the organization, and some of other organizations that no request is about to send. */
	take(orgId: string, now: number): { orgId: string; count: ServedCount }[] {
		this.#sendingSince.delete(orgId)
		this.#prune(now)
		const pending = [...this.#sources.values()].filter(isPending)
		const own = pending.filter((source) => source.orgId === orgId)
		const others = pending.filter((source) => source.orgId !== orgId && !this.#isBeingSent(source.orgId, now))
		return [...own, ...others.slice(0, MAX_OF_OTHERS)].map((source) => ({
			orgId: source.orgId,
			count: countOf(source),
		}))
	}

	/** Records that a count was received. */
	arrived({ source: id, version }: ServedCount): void {
		const source = this.#sources.get(id)
		if (source) source.arrivedVersion = Math.max(source.arrivedVersion, version)
	}

	#isBeingSent(orgId: string, now: number): boolean {
		const since = this.#sendingSince.get(orgId)
		return since !== undefined && isWithin(SENDER_LIFE_MS, since, now)
	}

	#sourceOf(orgId: string, access: Access, month: string, now: number): Source {
		const key = keyOf({ orgId, access, month })
		const known = this.#counting.get(key)
		if (known && isWithin(COUNTING_MS, known.openedAt, now)) return known
		this.#makeRoom(now)
		const id = this.#newId()
		const opened = { id, orgId, access, month, openedAt: now, version: 0, arrivedVersion: 0, qualities: {} }
		this.#sources.set(id, opened)
		this.#counting.set(key, opened)
		return opened
	}

	#prune(now: number): void {
		for (const source of this.#sources.values()) {
			const isOver = !isWithin(COUNTING_MS, source.openedAt, now) && !isPending(source)
			if (isOver || !isWithin(SENDING_MS, source.openedAt, now)) this.#drop(source)
		}
		for (const [orgId] of this.#sendingSince)
			if (!this.#isBeingSent(orgId, now)) this.#sendingSince.delete(orgId)
	}

	/** Drops the sources whose counts have arrived. If there are none, drops the oldest source, which is then lost. */
	#makeRoom(now: number): void {
		if (this.#sources.size < this.#maxSources) return
		this.#prune(now)
		for (const source of this.#sources.values()) if (!isPending(source)) this.#drop(source)
		const [oldest] = this.#sources.values()
		if (oldest && this.#sources.size >= this.#maxSources) this.#drop(oldest)
	}

	#drop(source: Source): void {
		const key = keyOf(source)
		this.#sources.delete(source.id)
		if (this.#counting.get(key) === source) this.#counting.delete(key)
	}
}

/** A request that began earlier may count later. A clock that was set back by more than this time ends it, too. */
const isWithin = (ms: number, since: number, now: number): boolean => Math.abs(now - since) <= ms

const keyOf = ({ orgId, access, month }: Pick<Source, 'orgId' | 'access' | 'month'>): string =>
	`${orgId} ${access} ${month}`

const isPending = ({ version, arrivedVersion }: Source): boolean => version > arrivedVersion

const countOf = ({ id, access, month, version, qualities }: Source): ServedCount => ({
	source: id,
	access,
	month,
	version,
	qualities: mapRecord(qualities, Math.round),
})
