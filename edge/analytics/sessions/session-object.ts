import { DurableObject } from 'cloudflare:workers'
import { HOUR, MINUTE, SECOND, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'
import { consoleLog } from '../../platform/log.ts'
import { sumsOf } from '../sums/session-sums.ts'
import type { Sums } from '../sums/sums.ts'
import { Forgotten } from './forgotten.ts'
import { addSame, HourSums, type PeriodSums, sumsByHour } from './hour-sums.ts'
import { applyReport, isPresentSession, type SessionReport } from './open-session.ts'
import { SessionPages } from './session-pages.ts'
import { ShardLoads } from './shard-loads.ts'
import { isRoot, objectName, parentOf, ROOT, type Shard } from './shards.ts'

/** The video and the part of its sessions that an object is for. */
export type SessionsOf = {
	playbackId: string
	assetId: string
	orgId: string
	durationMs: number
	shard: Shard
}

/** What the object says about a session; null if the session is over and its player must start another one. */
export type Reported = { startedAt: number; nextBeatMs: number; shard: Shard } | null
export type Reports = { sessions: Reported[]; viewers: number; level: number }

/** Longer than a token is valid, so that no report comes for a session after it was closed. */
const SILENT_MS = 35 * MINUTE
/** A player that said that its session is over may still take that back, such as when a page is shown again. */
const MAX_SESSION_MS = 24 * HOUR
const ENDED_MS = 2 * MINUTE
const COUNT_LIFE_MS = SECOND
const FLUSH_MS = 10 * SECOND
/** With few viewers, flushes cost more than the little that a crash would lose until the next report. */
const SLOW_FLUSH_MS = MINUTE
const FEW_SESSIONS = 20
const MANY_SESSIONS = 200
/** A session lasts at most a day, and its hour may change until it is closed. */
const COPIED_MS = 26 * HOUR
const OPEN_SUMS_LIFE_MS = 10 * SECOND
/** How often a player reports for which there is no room. */
const FULL_BEAT_MS = 2 * MINUTE
const NOTIFY_ROOT_EVERY_MS = 5 * SECOND

/**
 * Keeps the playback sessions of one video, or of a part of them while many people watch. Reports change sessions in
 * memory; an alarm writes them, so a crash loses at most what the next report of each player says again.
 */
export class PlaybackSessions extends DurableObject<Bindings> {
	#sessions = new SessionPages(this.ctx.storage.sql)
	#forgotten = new Forgotten(this.ctx.storage.sql)
	#loads = new ShardLoads(this.ctx.storage.kv)
	readonly #hours = new HourSums(this.ctx.storage.sql)
	#open: { sums: PeriodSums[]; at: number } | null = null
	#of = this.ctx.storage.kv.get<SessionsOf & { bornAt: number }>('of')
	#count = { viewers: 0, at: 0 }
	#starts = 0
	#notifiedRootAt = 0
	/** What the root last answered about all objects of the video. */
	#total = { viewers: 0, level: 0 }
	#alarmAt: number | null = null

	/** Applies reports of players. `onlyKnown` ignores sessions that this object does not have. */
	async report(
		of: SessionsOf,
		reports: readonly SessionReport[],
		now: number,
		onlyKnown = false,
	): Promise<Reports> {
		const { bornAt } = this.#remember(of, now)
		const sessions: Reported[] = []
		let mustFlush = false
		for (const report of reports) {
			const known = this.#sessions.get(report.sessionId)
			const startedAt = known?.startedAt ?? report.startedAt ?? now
			if (now - startedAt > MAX_SESSION_MS || (!known && this.#forgotten.has(report.sessionId))) {
				sessions.push(null)
				continue
			}
			if (!known && onlyKnown) {
				sessions.push(null)
				continue
			}
			if (!known && !report.isFirst && !isRoot(of.shard) && now - bornAt < SILENT_MS) {
				const elsewhere = await this.#askParent(of, report, now)
				if (elsewhere) {
					sessions.push(elsewhere)
					continue
				}
			}
			const load = { viewersHere: this.#viewersHere(now), viewers: this.#total.viewers }
			const session = applyReport(this.#sessions.get(report.sessionId), report, load, now)
			if (!known) this.#starts++
			const isKept = this.#sessions.set(session)
			mustFlush ||= isKept && session.isEnded
			const nextBeatMs = isKept ? session.intervalMs : FULL_BEAT_MS
			sessions.push({ startedAt: session.startedAt, nextBeatMs, shard: of.shard })
		}
		// The last report of a session is not said again.
		if (mustFlush) this.#flush()
		await this.#wakeIn(this.#sessions.size > FEW_SESSIONS ? FLUSH_MS : SLOW_FLUSH_MS)
		await this.#notifyRoot(now)
		const viewers = isRoot(of.shard) ? this.viewers(now) : this.#total.viewers
		return { sessions, viewers, level: this.#total.level }
	}

	/** Returns how many people watch the video now. Only the root knows of all objects. */
	viewers(now: number): number {
		return this.#viewersHere(now) + this.#loads.viewersElsewhere(now)
	}

	/** Records the load of another object of the same video. */
	noteLoad(
		shard: Shard,
		load: { viewers: number; startsPerSecond: number },
		now: number,
	): { viewers: number; level: number } {
		this.#loads.note(shard, load, now)
		return this.#totalAtRoot(now)
	}

	/** Returns what is added up between two instants, for all objects. Only the root knows of all objects. */
	sums(from: number, to: number, now: number): PeriodSums[] {
		const open = this.#openSums(now).filter((period) => period.from >= from && period.from < to)
		return [...this.#hours.between(from, to), ...open]
	}

	/** Keeps a copy of the sums of another object of the same video. */
	noteSums(shard: Shard, version: number, hours: { hour: number; sums: Sums }[]): void {
		this.#hours.putOther(objectName('', shard), version, hours)
	}

	/** Deletes everything about the video, in all its objects. */
	async deleteAll(): Promise<void> {
		const { playbackId } = this.#of ?? {}
		if (playbackId !== undefined)
			for (const shard of this.#loads.everyShard()) await this.#stub(playbackId, shard).deleteAll()
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
		this.#sessions = new SessionPages(this.ctx.storage.sql)
		this.#forgotten = new Forgotten(this.ctx.storage.sql)
		this.#loads = new ShardLoads(this.ctx.storage.kv)
		this.#of = undefined
		this.#open = null
		this.#alarmAt = null
	}

	override async alarm(): Promise<void> {
		this.#alarmAt = null
		try {
			await this.tick(systemClock())
		} catch (error) {
			consoleLog.error('playback sessions could not be written', error)
			await this.#wakeIn(MINUTE)
		}
	}

	/** Writes what changed and closes the sessions that are over. */
	async tick(now: number): Promise<void> {
		this.#closeSessions(now)
		await this.#notifyRoot(now)
		await this.#copySumsToRoot(now)
		const nextEnd = Math.min(...[...this.#sessions.all()].map(closesAt))
		if (Number.isFinite(nextEnd)) {
			// The root asks nobody for its own viewers.
			const mustNotify = this.#of && !isRoot(this.#of.shard) && this.#viewersHere(now) > 0
			const untilChange = mustNotify ? 30 * SECOND : HOUR
			await this.#wakeIn(Math.max(SECOND, Math.min(nextEnd - now, untilChange)))
		}
	}

	/** Adds the sessions that are over to the sums, in one transaction with their removal, so that each counts once. */
	#closeSessions(now: number): void {
		const durationMs = this.#of?.durationMs ?? 0
		const over = [...this.#sessions.all()].filter((session) => closesAt(session) <= now)
		this.ctx.storage.transactionSync(() => {
			this.#hours.addOwn(
				over.map((session) => ({ startedAt: session.startedAt, sums: sumsOf(session, durationMs) })),
				durationMs,
			)
			for (const { id } of over) {
				this.#sessions.delete(id)
				this.#forgotten.add(id, now)
			}
			this.#forgotten.prune(now - SILENT_MS)
			this.#hours.merge(now, durationMs)
			this.#sessions.flush()
			this.#forgotten.flush()
		})
		if (over.length > 0) this.#open = null
	}

	/** Adding up takes a while with thousands of sessions, so what was added up is kept for a moment. */
	#openSums(now: number): PeriodSums[] {
		const durationMs = this.#of?.durationMs ?? 0
		const isNew = this.#open !== null && now >= this.#open.at && now - this.#open.at < OPEN_SUMS_LIFE_MS
		if (this.#open && isNew && this.#sessions.size > MANY_SESSIONS) return this.#open.sums
		const open = [...this.#sessions.all()].map((session) => ({
			startedAt: session.startedAt,
			sums: sumsOf(session, durationMs),
		}))
		this.#open = { sums: sumsByHour(open, durationMs), at: now }
		return this.#open.sums
	}

	async #copySumsToRoot(now: number): Promise<void> {
		const of = this.#of
		if (!of || isRoot(of.shard)) return
		const closed = this.#hours.own(now - COPIED_MS).map(({ hour, sums }) => ({ from: hour, sums }))
		const hours = [...Map.groupBy([...closed, ...this.#openSums(now)], ({ from }) => from)].map(
			([hour, parts]) => ({
				hour,
				sums: addSame(
					parts.map(({ sums }) => sums),
					of.durationMs,
				),
			}),
		)
		if (hours.length === 0) return
		const version = (this.ctx.storage.kv.get<number>('version') ?? 0) + 1
		this.ctx.storage.kv.put('version', version)
		await this.#stub(of.playbackId, ROOT).noteSums(of.shard, version, hours)
	}

	#flush(): void {
		this.ctx.storage.transactionSync(() => {
			this.#sessions.flush()
			this.#forgotten.flush()
		})
	}

	#remember(of: SessionsOf, now: number): SessionsOf & { bornAt: number } {
		const known = this.#of
		if (known && known.durationMs === of.durationMs && known.assetId === of.assetId) return known
		this.#of = { ...of, bornAt: known?.bornAt ?? now }
		this.ctx.storage.kv.put('of', this.#of)
		return this.#of
	}

	/** Counting takes a while with thousands of sessions, so their count is kept for a moment. */
	#viewersHere(now: number): number {
		const isNew = now >= this.#count.at && now - this.#count.at < COUNT_LIFE_MS
		if (isNew && this.#sessions.size > MANY_SESSIONS) return this.#count.viewers
		let viewers = 0
		for (const session of this.#sessions.all()) if (isPresentSession(session, now)) viewers++
		this.#count = { viewers, at: now }
		return viewers
	}

	async #notifyRoot(now: number): Promise<void> {
		const of = this.#of
		if (!of || (now >= this.#notifiedRootAt && now - this.#notifiedRootAt < NOTIFY_ROOT_EVERY_MS)) return
		const seconds = Math.max(1, Math.min(60, (now - this.#notifiedRootAt) / SECOND))
		const load = { viewers: this.#viewersHere(now), startsPerSecond: this.#starts / seconds }
		this.#notifiedRootAt = now
		this.#starts = 0
		if (isRoot(of.shard)) {
			this.#loads.note(of.shard, load, now)
			this.#total = this.#totalAtRoot(now)
		} else this.#total = await this.#stub(of.playbackId, ROOT).noteLoad(of.shard, load, now)
	}

	#totalAtRoot(now: number): { viewers: number; level: number } {
		return { viewers: this.viewers(now), level: this.#loads.level(now) }
	}

	async #askParent(of: SessionsOf, report: SessionReport, now: number): Promise<Reported> {
		const parent = { ...of, shard: parentOf(of.shard) }
		const { sessions } = await this.#stub(of.playbackId, parent.shard).report(parent, [report], now, true)
		return sessions[0] ?? null
	}

	#stub(playbackId: string, shard: Shard): DurableObjectStub<PlaybackSessions> {
		const namespace = this.env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>
		return namespace.getByName(objectName(playbackId, shard))
	}

	/** Each alarm costs a row, so an earlier one is kept. */
	async #wakeIn(ms: number): Promise<void> {
		const at = systemClock() + ms
		this.#alarmAt ??= await this.ctx.storage.getAlarm()
		if (this.#alarmAt !== null && this.#alarmAt <= at) return
		this.#alarmAt = at
		await this.ctx.storage.setAlarm(at)
	}
}

const closesAt = ({ isEnded, reportedAt }: { isEnded: boolean; reportedAt: number }): number =>
	reportedAt + (isEnded ? ENDED_MS : SILENT_MS)
