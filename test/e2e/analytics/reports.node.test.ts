import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAsset } from '#schema/contract/video/assets.ts'
import { getAssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { secretVars } from '../../support/shared/miniflare-worker.ts'
import { chooserFrom } from '../../support/shared/random.ts'
import { type EdgeProcess, startEdge } from '../fleet/edge-process.ts'
import { type Owner, signUp } from '../fleet/installation.ts'
import { AnswerClock } from './answer-clock.ts'
import { type CountedSession, findDifferences, naiveAnalytics } from './naive-analytics.ts'
import { Players, type Service } from './players.ts'
import { drawEndlessSession, drawSession, type ScriptedVideo } from './scripted-session.ts'
import { type Loss, restart, SessionRecord } from './session-record.ts'
import { readStoredSessions } from './stored-sessions.ts'

/** Set by npm run prove -- analytics for the long version. */
const { ANALYTICS_SESSIONS, ANALYTICS_KILLS, ANALYTICS_SEED = '1' } = process.env
const isLong = ANALYTICS_SESSIONS !== undefined
const SESSIONS = Number(ANALYTICS_SESSIONS ?? 300)
const KILLS = Number(ANALYTICS_KILLS ?? 2)
/** Few, as each costs the local rate limiter a file, and enough to stay below its limit. */
const ADDRESSES = isLong ? 250 : 20
const PLAYERS = isLong ? 200 : 40
const PAUSE_MS = isLong ? 1_500 : 300
const DURATIONS_MS = isLong
	? [4_200, 17_300, 31_000, 61_500, 300_000, 300_000, 61_500, 17_300]
	: [4_200, 17_300, 61_500]
/**
 * Objects write within eight seconds (FLUSH_MS in session-object.ts). The rest is for requests that wait before their
 * alarm, since this is the time of the Worker (AnswerClock).
 */
const MAX_LOSS_AGE_MS = 20_000
/** How many viewers of each video vanish at the end. */
const LAST_VIEWERS = 5
const TIMEOUT_MS = isLong ? 12 * 3_600_000 : 300_000

test('analytics equal the newest report of each session, despite a bad network and killed Workers', {
	timeout: TIMEOUT_MS,
}, async () => {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-analytics-'))
	const choose = chooserFrom(Number(ANALYTICS_SEED))
	let edge = await startEdge(folder, secretVars)
	const service: Service = { url: edge.url, run: 0, isUp: Promise.resolve() }
	const clock = new AnswerClock()
	const players = new Players(service, clock, choose, PAUSE_MS)
	const losses: Loss[] = []
	try {
		const owner = await signUp(() => edge.url)
		const videos: ScriptedVideo[] = []
		for (const durationMs of DURATIONS_MS) videos.push(await addVideo(edge, owner, durationMs))
		const startedAt = performance.now()
		let [begun, done, kills] = [0, 0, 0]
		const work = async () => {
			while (begun < SESSIONS) {
				const id = `session-${ANALYTICS_SEED}-${begun++}`
				await players.play(
					new SessionRecord(drawSession(id, choose.pick(...atLeastOne(videos)), ADDRESSES, choose)),
				)
				done++
			}
		}
		const kill = async () => {
			const { promise, resolve } = Promise.withResolvers<void>()
			service.isUp = promise
			service.url = null
			await edge.kill()
			await players.settle()
			const stored = await readStoredSessions(folder)
			for (const record of players.records) {
				const loss = restart(record, stored.get(record.script.id), clock.now, MAX_LOSS_AGE_MS)
				if (loss) losses.push(loss)
			}
			edge = await startEdge(folder, secretVars)
			service.run++
			service.url = edge.url
			resolve()
			kills++
			const secondsToGo = ((performance.now() - startedAt) / 1_000 / Math.max(1, done)) * (SESSIONS - done)
			if (isLong)
				console.log(`${kills} kills, ${done} of ${SESSIONS} sessions, ${Math.round(secondsToGo)} s to go`)
		}
		const killing = async () => {
			for (let n = 0; n < KILLS; n++) {
				const nextAt = (SESSIONS * (n + choose.random())) / KILLS
				while (done < Math.min(nextAt, SESSIONS - 1)) await new Promise((next) => setTimeout(next, 20))
				await kill()
			}
		}
		await Promise.all([killing(), ...Array.from({ length: PLAYERS }, work)])
		await players.deliverAll()
		// Nothing but the alarms of the objects writes the last sessions, so without these the last kill takes them.
		const lastOnes = videos.flatMap((video) => Array.from({ length: LAST_VIEWERS }, () => video))
		await Promise.all(
			lastOnes.map((video, n) => {
				const id = `session-${ANALYTICS_SEED}-last-${n}`
				return players.play(new SessionRecord(drawEndlessSession(id, video, ADDRESSES, choose)))
			}),
		)
		await players.deliverAll()
		await clock.pass(MAX_LOSS_AGE_MS, async () => (await fetch(`${edge.url}/health/live`)).text())
		await kill()

		const problems = [
			...players.unexpected,
			...losses.flatMap(({ id, problem }) => (problem ? `${id}: ${problem}` : [])),
		]
		for (const video of videos) problems.push(...(await compareVideo(owner, video, players.records)))
		if (isLong) printResult(players, losses, kills)
		expect(problems).toEqual([])
		expect(kills).toBe(KILLS + 1)
	} finally {
		await edge.stop()
		await rm(folder, { recursive: true, force: true })
	}
})

async function addVideo(edge: EdgeProcess, owner: Owner, durationMs: number): Promise<ScriptedVideo> {
	const { id, playbackId } = (await owner.client().call(createAsset, { body: { title: `${durationMs} ms` } }))
		.data
	await edge.send({
		type: 'sql',
		sql: "update assets set status = 'ready', manifest_key = ?, duration_sec = ? where id = ?",
		values: [`media/${playbackId}/job/master.m3u8`, durationMs / 1_000, id],
	})
	return { assetId: id, playbackId, durationMs }
}

/** Asks once, at the end: sums of many open sessions are kept for ten seconds. */
async function compareVideo(
	owner: Owner,
	video: ScriptedVideo,
	records: readonly SessionRecord[],
): Promise<string[]> {
	const { assetId } = video
	const query = { period: '24h' as const }
	const { data } = await owner.client().call(getAssetAnalytics, { params: { assetId }, query })
	const counted = records
		.filter(({ script }) => script.video === video)
		.flatMap(({ state, script }): CountedSession[] => (state ? [{ state, ...script }] : []))
	return findDifferences(data, naiveAnalytics(video, counted), video).map(
		(difference) => `video of ${video.durationMs} ms: ${difference}`,
	)
}

function printResult(
	{ records, requests, unanswered }: Players,
	losses: readonly Loss[],
	kills: number,
): void {
	const behind = records.filter(({ counted, acknowledged }) => counted < acknowledged)
	const watchedMs = (record: SessionRecord, seq: number) =>
		record.script.reports[seq - 1]?.state.watchedMs ?? 0
	console.table({
		sessions: records.length,
		'of them counted': records.filter(({ counted }) => counted > 0).length,
		requests,
		'requests without an answer': unanswered,
		kills,
		'sessions of which a kill took something': losses.length,
		'the oldest of that, s': Math.round(Math.max(0, ...losses.map(({ ageMs }) => ageMs)) / 1_000),
		'ended sessions of which a kill took something': losses.filter(({ problem }) => problem).length,
		'sessions that said no more after that': behind.length,
		'of them not counted at all': behind.filter(({ counted }) => counted === 0).length,
		'watched seconds that are missing for them': Math.round(
			behind.reduce(
				(sum, each) => sum + watchedMs(each, each.acknowledged) - watchedMs(each, each.counted),
				0,
			) / 1_000,
		),
		'watched seconds in all': Math.round(
			records.reduce((sum, each) => sum + watchedMs(each, each.acknowledged), 0) / 1_000,
		),
	})
}

const atLeastOne = <T>(list: readonly T[]): [T, ...T[]] => {
	const [first, ...others] = list
	if (first === undefined) throw new Error('the list is empty')
	return [first, ...others]
}
