import { DurableObject } from 'cloudflare:workers'
import type { DeliveredMs } from '../../../accounts/orgs/usage/delivered.ts'
import { MINUTE, systemClock, toUtcMonth } from '../../../platform/clock.ts'
import type { Bindings } from '../../../platform/env.ts'
import { consoleLog } from '../../../platform/log.ts'
import type { ServedCount } from '../delivery/served-counts.ts'
import { hasTable } from '../sessions/has-table.ts'
import {
	computeDayMergeLimit,
	computeHourMergeLimit,
	HourSums,
	type PeriodSums,
} from '../sessions/hour-sums.ts'
import { NextAlarm } from '../sessions/next-alarm.ts'
import type { BatchSource, OrgBatch } from '../sessions/org-outbox.ts'
import { DeliveryRows } from './delivery.ts'
import { VideoCountRows, type VideoCounts } from './video-counts.ts'

/** The delay before a failed merge is retried, and the minimum delay of any alarm. */
const RETRY_MS = 10 * MINUTE

export type OrgPeriod = { parts: PeriodSums[]; before: PeriodSums[]; top: VideoCounts[] }

/** The sums over all videos of an organization. A session counts some minutes after its end. */
export class OrgAnalytics extends DurableObject<Bindings> {
	#hours = new HourSums(this.ctx.storage.sql)
	#videos = new VideoCountRows(this.ctx.storage.sql)
	#delivery = new DeliveryRows(this.ctx.storage.sql)
	#alarm = new NextAlarm(this.ctx.storage)

	/** Adds a batch that the object of a video sends. A repeated batch changes nothing. */
	async add({ name, playbackId, isSigned }: BatchSource, { number, parts }: OrgBatch): Promise<void> {
		this.ctx.storage.transactionSync(() => {
			if (number <= this.#lastNumber(name)) return
			this.#hours.addOwn(
				parts.map(({ hour, sums }) => ({ startedAt: hour, sums })),
				0,
			)
			for (const { hour, sums } of parts) {
				this.#videos.add(hour, { playbackId, ...sums })
				this.#delivery.addReported(toUtcMonth(hour), isSigned ? 'signed' : 'public', sums.by.delivered)
			}
			this.#noteNumber(name, number)
		})
		await this.#wakeAt(this.#hours.nextMergeAt())
	}

	/** Stores the count of video served by one isolate. */
	async noteServed(count: ServedCount, now: number): Promise<void> {
		await this.#wakeAt(this.#delivery.noteServed(count, now))
	}

	/** Returns the sums of a period, those of the period before, and the most watched videos. */
	period(beforeFrom: number, from: number, to: number, videos: number): OrgPeriod {
		return {
			parts: this.#hours.between(from, to, 0),
			before: this.#hours.between(beforeFrom, from, 0),
			top: this.#videos.top(from, to, videos),
		}
	}

	/** Returns the views of all time of the videos that were watched. */
	views(playbackIds: readonly string[]): Record<string, number> {
		return this.#videos.views(playbackIds)
	}

	/** Returns the milliseconds of video delivered in a month, by counter and quality. */
	delivered(month: string): DeliveredMs {
		return this.#delivery.read(month)
	}

	/** Deletes the rows of one video. The totals of the organization stay. */
	deleteVideo(playbackId: string): void {
		this.#videos.delete(playbackId)
		if (hasTable(this.ctx.storage.sql, 'senders'))
			this.ctx.storage.sql.exec('delete from senders where sender glob ?', `${playbackId}.*`)
	}

	async deleteAll(): Promise<void> {
		this.#alarm.reset()
		await this.ctx.storage.deleteAlarm()
		await this.ctx.storage.deleteAll()
	}

	override async alarm(): Promise<void> {
		this.#alarm.reset()
		try {
			this.merge(systemClock())
			await this.#wakeAt(this.#hours.nextMergeAt())
			await this.#wakeAt(this.#delivery.nextMergeAt())
		} catch (error) {
			consoleLog.error('the analytics of an organization could not be merged', error)
			await this.#alarm.within(RETRY_MS)
		}
	}

	/** Merges old hours into days, and old days into months. */
	merge(now: number): void {
		this.ctx.storage.transactionSync(() => {
			this.#hours.merge(now, 0)
			this.#videos.merge(computeHourMergeLimit(now), computeDayMergeLimit(now))
			this.#delivery.merge(now)
		})
	}

	/** Sets an alarm for an instant, unless an earlier one is set; null sets none. */
	async #wakeAt(dueAt: number | null): Promise<void> {
		if (dueAt !== null) await this.#alarm.within(Math.max(RETRY_MS, dueAt - systemClock()))
	}

	#lastNumber(sender: string): number {
		const { sql } = this.ctx.storage
		if (!hasTable(sql, 'senders')) return 0
		const [row] = sql
			.exec<{ number: number }>('select number from senders where sender = ?', sender)
			.toArray()
		return row?.number ?? 0
	}

	#noteNumber(sender: string, number: number): void {
		const { sql } = this.ctx.storage
		sql.exec(
			'create table if not exists senders (sender text primary key, number integer not null) without rowid',
		)
		sql.exec('insert or replace into senders values (?, ?)', sender, number)
	}
}
