import { DurableObject } from 'cloudflare:workers'
import { HOUR, MINUTE, SECOND, systemClock } from '../../platform/clock.ts'
import type { Bindings } from '../../platform/env.ts'
import { consoleLog } from '../../platform/log.ts'
import { Forgotten } from './forgotten.ts'
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
const ENDED_MS = 2 * MINUTE
const COUNT_LIFE_MS = SECOND
const FLUSH_MS = 10 * SECOND
/** With few viewers, flushes cost more than the little that a crash would lose until the next report. */
const SLOW_FLUSH_MS = MINUTE
const FEW_SESSIONS = 20
const MANY_SESSIONS = 200
const NOTIFY_ROOT_EVERY_MS = 5 * SECOND

/**
 * Keeps the playback sessions of one video, or of a part of them while many people watch. Reports change sessions in
 * memory; an alarm writes them, so a crash loses at most what the next report of each player says again.
 */
export class PlaybackSessions extends DurableObject<Bindings> {
	#sessions = new SessionPages(this.ctx.storage.sql)
	#forgotten = new Forgotten(this.ctx.storage.sql)
	#loads = new ShardLoads(this.ctx.storage.kv)
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
			if (!known && this.#forgotten.has(report.sessionId)) {
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
			this.#sessions.set(session)
			mustFlush ||= session.isEnded
			sessions.push({ startedAt: session.startedAt, nextBeatMs: session.intervalMs, shard: of.shard })
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
		this.#flush()
		await this.#notifyRoot(now)
		const nextEnd = Math.min(...[...this.#sessions.all()].map(closesAt))
		if (Number.isFinite(nextEnd)) {
			const untilChange = this.#viewersHere(now) > 0 ? 30 * SECOND : HOUR
			await this.#wakeIn(Math.max(SECOND, Math.min(nextEnd - now, untilChange)))
		}
	}

	#closeSessions(now: number): void {
		for (const session of [...this.#sessions.all()]) {
			if (closesAt(session) > now) continue
			this.#sessions.delete(session.id)
			this.#forgotten.add(session.id, now)
		}
		this.#forgotten.prune(now - SILENT_MS)
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
