import { DurableObject } from 'cloudflare:workers'
import { HOUR, MINUTE, SECOND, systemClock } from '../../../platform/clock.ts'
import type { Bindings } from '../../../platform/env.ts'
import { consoleLog } from '../../../platform/log.ts'
import { findOrgAnalytics } from '../org/org-stub.ts'
import { ClosedTimelines } from '../timelines/closed-timelines.ts'
import { findTimelines } from '../timelines/find-timelines.ts'
import { buildSessionTimeline, type SessionTimeline } from '../timelines/session-timeline.ts'
import { ClosedSessionIds } from './closed-session-ids.ts'
import { deleteStored } from './delete-stored.ts'
import { FLUSH_MS } from './flush-interval.ts'
import type { PeriodSums } from './hour-sums.ts'
import { NetworkCounts } from './network-counts.ts'
import { NextAlarm } from './next-alarm.ts'
import {
	applyReport,
	computeCloseTime,
	isUrgentReport,
	MAX_SESSION_MS,
	type OpenSession,
	type SessionReport,
	SILENT_MS,
} from './open-session.ts'
import { type BatchSource, type HourPart, OrgOutbox, type Receiver } from './org-outbox.ts'
import { isSilent } from './presence.ts'
import { RunningSums } from './running-sums.ts'
import type { Audience, SessionScope } from './session.ts'
import { SessionPages } from './session-pages.ts'
import { askShards } from './shards/ask-shards.ts'
import { COPY_EVERY_MS, RootCopies } from './shards/root-copies.ts'
import { type ShardLoad, ShardLoads } from './shards/shard-loads.ts'
import { formatObjectName, isRoot, listPossibleShards, ROOT, type Shard } from './shards/shards.ts'
import { ViewerCount } from './viewer-count.ts'

/** The answer to the report of a session; null if the session is over and its player must start another one. */
export type Reported = { startedAt: number; nextBeatMs: number; shard: Shard } | null
export type Reports = { sessions: Reported[] } & Total
type Total = { viewers: number; level: number }

/** An object with no more sessions than this writes them with each report. */
const FEW_SESSIONS = 20
/** How often a player reports for which there is no room. */
const FULL_BEAT_MS = 2 * MINUTE
const NOTIFY_ROOT_EVERY_MS = 5 * SECOND
/** Looking for sessions to close takes a while in a full object. */
const MAKE_ROOM_EVERY_MS = 5 * SECOND

/**
 * Keeps the playback sessions of one video, or a part of them while many people watch. Few sessions are written with each
 * report. Many are changed in memory, and an alarm writes them together. A crash then loses unwritten changes, and the
 * player's next report contains them again. What no later report contains, such as the end of a session, is always
 * written at once.
 */
export class PlaybackSessions extends DurableObject<Bindings> {
	#sessions = new SessionPages(this.ctx.storage.sql)
	#closed = new ClosedSessionIds(this.ctx.storage.sql)
	#loads = new ShardLoads(this.ctx.storage.kv)
	#sums = new RunningSums(this.ctx.storage.sql, this.#sessions)
	#outbox = new OrgOutbox(this.ctx.storage.kv)
	#timelines = new ClosedTimelines(this.ctx.storage.sql)
	#of = this.ctx.storage.kv.get<SessionScope>('of')
	#count = new ViewerCount()
	#networks = new NetworkCounts(this.ctx.storage.kv)
	#starts = 0
	#notifiedRootAt = 0
	#notifiedViewers = 0
	#madeRoomAt = 0
	#copies = new RootCopies(this.ctx.storage.kv)
	/** The root's last answer about all objects of the video. */
	#total: Total | null = null
	#alarm = new NextAlarm(this.ctx.storage)

	/** Applies reports of players, and opens the sessions that are new. */
	async report(of: SessionScope, reports: readonly SessionReport[], now: number): Promise<Reports> {
		this.#remember(of)
		const sessions: Reported[] = []
		try {
			for (const report of reports) {
				let answer = this.#findAndApply(report, now)
				if (answer === undefined && report.mayBeElsewhere) answer = await this.#search(of, report, now)
				// Another request may have opened the session during the search.
				sessions.push(answer === undefined ? this.#apply(report, now) : answer)
			}
		} finally {
			// If a search fails, the reports before it are written all the same: their players might not repeat them.
			await this.#write(reports, now)
		}
		await this.#notifyRoot(now)
		const viewers = isRoot(of.shard) ? this.viewers(now) : (this.#total?.viewers ?? this.#viewersHere(now))
		return { sessions, viewers, level: this.#total?.level ?? of.shard.level }
	}

	/** Applies a report if this object has, or had, the session; otherwise returns undefined. */
	async reportIfKnown(report: SessionReport, now: number): Promise<Reported | undefined> {
		const answer = this.#findAndApply(report, now)
		if (answer) await this.#write([report], now)
		return answer
	}

	/** Returns how many people watch the video now. Only the root knows of all objects. */
	viewers(now: number): number {
		return this.#viewersHere(now) + this.#loads.viewersElsewhere(now)
	}

	/** Records the load of another object of the same video. */
	noteLoad(shard: Shard, load: ShardLoad, now: number): Total {
		this.#loads.note(shard, load, now)
		return this.#totalAtRoot(now)
	}

	/**
	 * Returns what is added up between two instants, for all objects. Only the root knows of all objects. Curves must fit
	 * the duration of the video, which other objects may have learned first.
	 */
	sums(from: number, to: number, now: number, durationMs = this.#durationMs): PeriodSums[] {
		return this.#sums.between(from, to, durationMs, now)
	}

	/** Keeps a copy of the sums of another object of the same video. */
	async noteSums(shard: Shard, version: number, copies: HourPart[], now: number): Promise<void> {
		this.#sums.putCopies(formatObjectName('', shard), version, copies, now)
		await this.#alarm.within(HOUR)
	}

	/** Returns the time lines of a session, or of the sessions of a page, by its report id; the newest first. */
	timelines(playbackId: string, key: string, now: number): Promise<SessionTimeline[]> {
		const shards = this.#loads.shardsWithSessions(now)
		return findTimelines(key, this.timelinesHere(key, now), shards, (shard) =>
			this.#stub(playbackId, shard).timelinesHere(key, now),
		)
	}

	timelinesHere(key: string, now: number): SessionTimeline[] {
		const open = this.#sessions.find(key).map((each) => buildSessionTimeline(each, this.#durationMs, true))
		return [...open, ...this.#timelines.find(key, now)]
	}

	/**
	 * Deletes everything about the video, in all its objects and in that of the organization. What was counted until now
	 * stays in the totals of the organization.
	 */
	async deleteAll(now: number): Promise<void> {
		const { storage } = this.ctx
		await this.#countEverything(now)
		const known = { of: this.#of, shards: this.#loads.everyShard() }
		await deleteStored(storage, known, {
			deleteShard: (playbackId, shard) => this.#stub(playbackId, shard).deleteAll(now),
			deleteVideo: async ({ orgId, playbackId }) =>
				findOrgAnalytics(this.env, orgId)?.deleteVideo(playbackId),
		})
		this.#sessions = new SessionPages(storage.sql)
		this.#closed = new ClosedSessionIds(storage.sql)
		this.#loads = new ShardLoads(storage.kv)
		this.#outbox = new OrgOutbox(storage.kv)
		this.#of = undefined
		this.#sums = new RunningSums(storage.sql, this.#sessions)
		this.#timelines = new ClosedTimelines(storage.sql)
		this.#alarm.reset()
		this.#total = null
		this.#count = new ViewerCount()
		this.#networks = new NetworkCounts(storage.kv)
	}

	/**
	 * Counts the sessions before they are deleted. When a failed purge is repeated, errors of counting do not stop it.
	 */
	async #countEverything(now: number): Promise<void> {
		const route = this.#orgRoute()
		if (!route) return
		const { storage } = this.ctx
		const isRepeated = storage.kv.get<boolean>('deleting') === true
		if (!isRepeated) {
			storage.kv.put('deleting', true)
			await storage.sync()
		}
		try {
			storage.transactionSync(() => this.#closeSessions(now, [...this.#sessions.all()]))
			await this.#outbox.sendAll(route.org, route.from)
		} catch (error) {
			if (!isRepeated) throw error
			consoleLog.error('the last sums of a deleted video were lost', error)
		}
	}

	override async alarm(): Promise<void> {
		this.#alarm.reset()
		try {
			await this.tick(systemClock())
		} catch (error) {
			consoleLog.error('playback sessions could not be written', error)
			await this.#alarm.within(MINUTE)
		}
	}

	/** Writes what changed and closes the sessions that are over. */
	async tick(now: number): Promise<void> {
		const over = [...this.#sessions.all()].filter((session) => computeCloseTime(session) <= now)
		this.#transact(() => this.#closeSessions(now, over))
		await this.#notifyRoot(now)
		await this.#copyToRoot(now)
		const sendAt = await this.#sendToOrg(now)
		const dueAt = Math.min(
			this.#nextEndAt(),
			this.#sums.nextMergeAt() ?? Infinity,
			this.#timelines.nextPruneAt() ?? Infinity,
			sendAt ?? Infinity,
		)
		const waitMs = Math.min(
			dueAt - now,
			this.#isShard && this.#viewersHere(now) > 0 ? COPY_EVERY_MS : Infinity,
		)
		// Sessions that end one after the other are closed together, since each time costs six rows.
		if (Number.isFinite(waitMs)) await this.#alarm.within(Math.max(FLUSH_MS, waitMs))
	}

	/** Adds sessions to the sums and removes them. Must run in one transaction, so that each counts once. */
	#closeSessions(now: number, over: readonly OpenSession[]): void {
		this.#outbox.add(this.#sums.close(over, this.#durationMs, now))
		this.#timelines.close(over, this.#durationMs, now)
		for (const { id } of over) {
			this.#sessions.delete(id)
			this.#closed.add(id, now)
		}
		this.#closed.prune(now - SILENT_MS)
		this.#sessions.flush()
		this.#closed.flush()
	}

	/**
	 * Closes sessions of a full object, which counts them: those whose viewers are gone, and then the heaviest. Whoever
	 * makes up sessions could otherwise keep real viewers from being counted.
	 */
	#makeRoom(now: number): void {
		if (now >= this.#madeRoomAt && now - this.#madeRoomAt < MAKE_ROOM_EVERY_MS) return
		this.#madeRoomAt = now
		const gone = [...this.#sessions.all()].filter((session) => session.isEnded || isSilent(session, now))
		this.#transact(() => {
			this.#closeSessions(now, gone)
			this.#closeSessions(now, this.#sessions.heaviest())
		})
	}

	/** If writing fails, the object starts again with what was written, since its memory may say something else. */
	#transact(write: () => void): void {
		try {
			this.ctx.storage.transactionSync(write)
		} catch (error) {
			consoleLog.error('playback sessions could not be written', error)
			this.ctx.abort('playback sessions could not be written')
			throw error
		}
	}

	/** Returns null if the session is over, and undefined if this object does not know it. */
	#findAndApply(report: SessionReport, now: number): Reported | undefined {
		if (this.#closed.has(report.sessionId)) return null
		const known = this.#sessions.get(report.sessionId)
		const startedAt = known?.startedAt ?? report.startedAt ?? now
		if (now - startedAt > MAX_SESSION_MS) return null
		return known && this.#apply(report, now)
	}

	#apply(report: SessionReport, now: number): Reported {
		const known = this.#sessions.get(report.sessionId)
		const load = { viewersHere: this.#viewersHere(now), viewers: this.#total?.viewers ?? 0 }
		const audience = known ? known.audience : this.#audienceOf(report, now)
		const session = applyReport(known, { ...report, audience }, load, now)
		if (!known) this.#starts++
		let isKept = this.#sessions.setAsPossible(session)
		if (!isKept) {
			this.#makeRoom(now)
			if (this.#closed.has(session.id)) return null
			isKept = this.#sessions.setAsPossible(session)
		}
		const nextBeatMs = isKept ? session.intervalMs : FULL_BEAT_MS
		return { startedAt: session.startedAt, nextBeatMs, shard: this.#of?.shard ?? ROOT }
	}

	/** Returns the audience that a new session counts for. A network can add a limited number of viewers. */
	#audienceOf({ audience, network }: SessionReport, now: number): Audience {
		if (audience !== 'viewer' || !network) return audience
		return this.#networks.add(network, this.#of?.shard ?? ROOT, now) ? 'viewer' : 'crowd'
	}

	/** Looks for a session in the shards, where it is if it began there and its first response was lost. */
	async #search(of: SessionScope, report: SessionReport, now: number): Promise<Reported | undefined> {
		if (!isRoot(of.shard)) return undefined
		const answers = await askShards(
			listPossibleShards(report.sessionId, this.#loads.highestLevel(now)),
			(shard) => this.#stub(of.playbackId, shard).reportIfKnown(report, now),
		)
		return answers.find((answer) => answer !== undefined)
	}

	/** Writes the sessions of these reports: all while there are few, and otherwise those of urgent reports. */
	async #write(reports: readonly SessionReport[], now: number): Promise<void> {
		const areMany = this.#sessions.size > FEW_SESSIONS
		const written = areMany ? reports.filter(isUrgentReport) : reports
		const ids = written.map(({ sessionId }) => sessionId)
		if (ids.length > 0) this.#transact(() => this.#sessions.flush(ids))
		if (areMany) await this.#alarm.within(FLUSH_MS)
		else if (this.#isShard) await this.#alarm.within(COPY_EVERY_MS)
		else if (this.#sessions.size > 0) await this.#alarm.within(this.#nextEndAt() - now)
	}

	#nextEndAt(): number {
		return Math.min(...[...this.#sessions.all()].map(computeCloseTime))
	}

	/** Whether another object is the root of the video. */
	get #isShard(): boolean {
		return this.#of !== undefined && !isRoot(this.#of.shard)
	}

	get #durationMs(): number {
		return this.#of?.durationMs ?? 0
	}

	async #copyToRoot(now: number): Promise<void> {
		const of = this.#of
		if (of && !(await this.#copies.send(this.#sums, of, this.#stub(of.playbackId, ROOT), now)))
			await this.#alarm.within(COPY_EVERY_MS)
	}

	/** Returns when to send more; null if there is nothing. */
	async #sendToOrg(now: number): Promise<number | null> {
		const route = this.#orgRoute()
		return route ? await this.#outbox.send(route.org, route.from, now) : null
	}

	/** Returns the organization's object and the sender's identity; null if `ORG_ANALYTICS` is not bound. */
	#orgRoute(): { org: Receiver; from: BatchSource } | null {
		if (!this.#of) return null
		const { orgId, playbackId, isSigned, shard } = this.#of
		const org = findOrgAnalytics(this.env, orgId)
		return org && { org, from: { name: formatObjectName(playbackId, shard), playbackId, isSigned } }
	}

	#remember(of: SessionScope): void {
		const known = this.#of
		const names = ['durationMs', 'assetId', 'isSigned'] as const
		if (known && names.every((name) => known[name] === of[name])) return
		this.#of = of
		this.ctx.storage.kv.put('of', of)
	}

	#viewersHere(now: number): number {
		return this.#count.of(this.#sessions, now)
	}

	async #notifyRoot(now: number): Promise<void> {
		const of = this.#of
		if (!of) return
		if (now >= this.#notifiedRootAt && now - this.#notifiedRootAt < NOTIFY_ROOT_EVERY_MS) {
			if (this.#isShard && this.#viewersHere(now) !== this.#notifiedViewers)
				await this.#alarm.within(NOTIFY_ROOT_EVERY_MS)
			return
		}
		const seconds = Math.max(1, Math.min(60, (now - this.#notifiedRootAt) / SECOND))
		const load = { viewers: this.#viewersHere(now), startsPerSecond: this.#starts / seconds }
		this.#notifiedRootAt = now
		this.#notifiedViewers = load.viewers
		this.#starts = 0
		if (isRoot(of.shard)) {
			this.#loads.note(of.shard, load, now)
			this.#total = this.#totalAtRoot(now)
			return
		}
		try {
			this.#total = await this.#stub(of.playbackId, ROOT).noteLoad(of.shard, load, now)
		} catch (error) {
			// The reports are applied, whatever the root does.
			this.#notifiedViewers = -1
			consoleLog.error('the root object did not accept the load of a shard', error)
		}
	}

	#totalAtRoot(now: number): Total {
		return { viewers: this.viewers(now), level: this.#loads.level(now) }
	}

	#stub(playbackId: string, shard: Shard): DurableObjectStub<PlaybackSessions> {
		const namespace = this.env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>
		return namespace.getByName(formatObjectName(playbackId, shard))
	}
}
