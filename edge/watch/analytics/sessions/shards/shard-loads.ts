import { DAY, HOUR, MINUTE } from '../../../../platform/clock.ts'
import { chooseLevel, formatObjectName, ROOT, type Shard } from './shards.ts'

export type ShardLoad = { viewers: number; startsPerSecond: number }
type Load = ShardLoad & { at: number }

/** An object that crashed reports nothing. */
const LOAD_LIFE_MS = 5 * MINUTE
/** A level stays for about this long after it was needed. */
const LEVEL_LIFE_MS = HOUR
/** Each time costs a row. */
const RENEW_EVERY_MS = 5 * MINUTE
/** Longer than a session of a day and its time line. */
const SESSIONS_LIFE_MS = 4 * DAY

/** The load that each object of a video last reported to the root. It decides how many objects there are. */
export class ShardLoads {
	readonly #kv: SyncKvStorage
	readonly #loads = new Map<string, Load>()
	#level: { level: number; usedAt: number; highest: number }

	constructor(kv: SyncKvStorage) {
		this.#kv = kv
		this.#level = kv.get('level') ?? { level: 0, usedAt: 0, highest: 0 }
	}

	note(shard: Shard, load: ShardLoad, now: number): void {
		this.#loads.set(keyOf(shard), { ...load, at: now })
		const before = this.level(now)
		const needed = chooseLevel({
			viewers: this.#sum('viewers', now),
			startsPerSecond: this.#sum('startsPerSecond', now),
		})
		// A level is kept while more than half of the level below it is needed.
		const isUsed = needed >= Math.max(1, before - 1)
		const isRenewed = isUsed && now - this.#level.usedAt >= RENEW_EVERY_MS
		if (needed <= before && !isRenewed) return
		const level = Math.max(needed, before)
		this.#level = { level, usedAt: now, highest: Math.max(level, this.#level.highest) }
		this.#kv.put('level', this.#level)
	}

	/** Returns the viewers in the objects of the video besides the root. */
	viewersElsewhere(now: number): number {
		return this.#sum('viewers', now, keyOf(ROOT))
	}

	/** Returns the number of splits. An hour after the level was last needed, it is what the load needs then. */
	level(now: number): number {
		return now - this.#level.usedAt > LEVEL_LIFE_MS ? 0 : this.#level.level
	}

	/** Returns every shard that the video ever had, besides the root. */
	everyShard(): Shard[] {
		const shards: Shard[] = []
		for (let level = 1; level <= this.#level.highest; level++)
			for (let index = 0; index < 2 ** level; index++) shards.push({ level, index })
		return shards
	}

	/** Returns every shard besides the root that may still have sessions or their time lines. */
	shardsWithSessions(now: number): Shard[] {
		return this.highestLevel(now) === 0 ? [] : this.everyShard()
	}

	/** Returns the highest level of which a shard may still have sessions or their time lines. */
	highestLevel(now: number): number {
		return now - this.#level.usedAt > SESSIONS_LIFE_MS ? 0 : this.#level.highest
	}

	#sum(of: 'viewers' | 'startsPerSecond', now: number, without?: string): number {
		let sum = 0
		for (const [key, load] of this.#loads)
			if (key !== without && now - load.at <= LOAD_LIFE_MS) sum += load[of]
		return sum
	}
}

const keyOf = (shard: Shard): string => formatObjectName('', shard)
