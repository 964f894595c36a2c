/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { VideoCountRows } from '../../../../../edge/watch/analytics/org/video-counts.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const HOURS = 100

type Statement = { query: string; values: SqlStorageValue[] }

/** Runs with the database of an object of its own, which records its statements. */
const withSql = (run: (sql: SqlStorage, statements: Statement[]) => void): Promise<void> =>
	runInDurableObject(env.ORG_ANALYTICS.getByName(crypto.randomUUID()), (_, { storage }) => {
		const statements: Statement[] = []
		const exec: SqlStorage['exec'] = (query, ...values) => {
			statements.push({ query, values })
			return storage.sql.exec(query, ...values)
		}
		run({ exec } as SqlStorage, statements)
	})

/** Counts the same for two videos in each hour, and makes days of the first half of them. */
function fill(videos: VideoCountRows): void {
	for (let hour = 0; hour < HOURS; hour++)
		for (const playbackId of ['film', 'other'])
			videos.add(hour * HOUR, { playbackId, starts: 1, views: 1, watchedMs: 1_000 })
	videos.merge(2 * DAY, 0)
}
const all = (videos: VideoCountRows) => videos.top(0, 10 * DAY, 10)
const counted = { starts: HOURS, views: HOURS, watchedMs: HOURS * 1_000 }

test('the counts of a deleted video, and no others, are removed from all hours and days', async () => {
	await withSql((sql) => {
		const videos = new VideoCountRows(sql)
		videos.delete('film')
		fill(videos)
		expect(all(videos)).toEqual([
			{ playbackId: 'film', ...counted },
			{ playbackId: 'other', ...counted },
		])
		expect(videos.views(['film', 'none'])).toEqual({ film: HOURS })
		videos.delete('fil')
		expect(all(videos)).toHaveLength(2)
		videos.delete('film')
		expect(all(videos)).toEqual([{ playbackId: 'other', ...counted }])
		expect(videos.views(['film', 'other'])).toEqual({ other: HOURS })
		videos.delete('other')
		expect(all(videos)).toEqual([])
	})
})

test('the views of all time contain the hours and days of before their table existed', async () => {
	await withSql((sql) => {
		const videos = new VideoCountRows(sql)
		expect(videos.views(['film'])).toEqual({})
		fill(videos)
		for (const read of [() => videos.views(['film']), () => fill(videos)]) {
			sql.exec('drop table video_totals')
			read()
		}
		expect(videos.views(['film', 'other'])).toEqual({ film: 2 * HOURS, other: 2 * HOURS })
	})
})

test('deleting a video scans neither the hours nor the days of all videos', async () => {
	await withSql((sql, statements) => {
		const videos = new VideoCountRows(sql)
		fill(videos)
		statements.length = 0
		videos.delete('film')
		const deleting = statements.filter(({ query }) => query.includes('delete from'))
		expect(deleting).toHaveLength(3)
		for (const { query, values } of deleting) {
			const plan = sql.exec<{ detail: string }>(`explain query plan ${query}`, ...values).toArray()
			const details = plan.map(({ detail }) => detail)
			expect(details).toContainEqual(
				expect.stringMatching(
					/^SEARCH video_(hours|days|totals) USING PRIMARY KEY \((at=\? AND )?playback_id=\?\)$/,
				),
			)
			expect(details.filter((detail) => detail.startsWith('SCAN video_'))).toEqual([])
		}
	})
})
