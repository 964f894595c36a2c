import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { OrgAnalytics } from '../../../../edge/analytics/org/org-object.ts'
import { addSame } from '../../../../edge/analytics/sessions/hour-sums.ts'
import type { SessionReport } from '../../../../edge/analytics/sessions/open-session.ts'
import type { PlaybackSession } from '../../../../edge/analytics/sessions/session.ts'
import type { PlaybackSessions } from '../../../../edge/analytics/sessions/session-object.ts'
import { objectName, ROOT, type Shard, shardOf } from '../../../../edge/analytics/sessions/shards/shards.ts'
import { sumsOf } from '../../../../edge/analytics/sums/session-sums.ts'
import { emptyRuntime } from '../../../support/edge/empty-runtime.ts'
import { stateAt } from '../states.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const SECOND = 1_000
const MINUTE = 60_000
const DURATION_MS = 600_000
const DAY = 86_400_000
const namespace = env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>

/** A generator of numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed
	return () => {
		state = (state + 0x6d2b79f5) | 0
		let t = Math.imul(state ^ (state >>> 15), 1 | state)
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
	}
}

const place: PlaybackSession['place'] = {
	device: 'desktop',
	browser: 'Chrome',
	country: 'DE',
	referrer: null,
	player: 'watch',
}

/** A session that begins within two hours, with a report every ten seconds or so, and seeks. */
function drawSession(id: string, random: () => number) {
	const startedAt = NOW + Math.floor(random() * 120) * MINUTE
	const played: number[] = []
	const reports: { at: number; state: PlaybackSession['state'] }[] = []
	let position = 0
	let watched = 0
	const count = 1 + Math.floor(random() * 6)
	for (let n = 0; n < count; n++) {
		const ticks = 10 + Math.floor(random() * 90)
		if (random() < 0.4) position = Math.floor(random() * 5_000)
		if (played.at(-1) === position && n > 0) played[played.length - 1] = position + ticks
		else played.push(position, position + ticks)
		position += ticks
		watched += ticks * 100
		reports.push({
			at: startedAt + watched,
			state: stateAt(0, {
				seq: n + 1,
				watchedMs: watched,
				positionMs: position * 100,
				played: [...played],
				startupMs: 200 + n,
				stalls: n,
				stalledMs: Math.min(watched, n * 300),
				renditionMs: { 720: watched },
				bitrateMs: watched * 2_000,
			}),
		})
	}
	const visitor = Math.floor(random() * 0xffffffff)
		.toString(16)
		.padStart(16, '0')
	return { id, startedAt, reports, visitor }
}

test.each([1, 2, 3, 4])(
	'sums are those of the last report of each session, whatever happens to reports and objects (seed %i)',
	async (seed) => {
		await emptyRuntime()
		const playbackId = crypto.randomUUID()
		const orgId = `org_${playbackId}`
		const random = randomFrom(seed)
		const shards: Shard[] = [ROOT, { level: 1, index: 0 }, { level: 1, index: 1 }]
		const objectOf = (shard: Shard) => namespace.getByName(objectName(playbackId, shard))
		const sessions = Array.from({ length: 60 }, (_, k) => drawSession(`session-${seed}-${k}`, random))
		const routes = new Map(sessions.map(({ id }) => [id, random() < 0.4 ? ROOT : shardOf(id, 1)]))

		// All but the last report may be lost, and all may come twice or late.
		const sent = sessions.flatMap(({ id, startedAt, reports, visitor }) =>
			reports.flatMap(({ at, state }, n) => {
				const isLast = n === reports.length - 1
				const copies = isLast ? 1 + Number(random() < 0.3) : Math.floor(random() * 3)
				const report: SessionReport = {
					...{
						sessionId: id,
						reportId: null,
						startedAt,
						mayBeElsewhere: false,
						audience: 'viewer',
						visitor,
						place,
					},
					...{ state, events: [], isEnd: isLast && random() < 0.5 },
				}
				return Array.from({ length: copies }, () => ({
					at: at + Math.floor(random() * 20) * SECOND,
					report,
				}))
			}),
		)
		let now = NOW
		for (const { at, report } of sent.toSorted((a, b) => a.at - b.at)) {
			now = Math.max(now, at)
			const shard = routes.get(report.sessionId) ?? ROOT
			const of = {
				...{ playbackId, assetId: 'ast', orgId, durationMs: DURATION_MS, shard },
				isSigned: false,
			}
			await objectOf(shard).report(of, [report], now)
			if (random() < 0.1) {
				const victim = objectOf(shards[Math.floor(random() * 3)] as Shard)
				await runInDurableObject(victim, (object) => object.tick(now))
				// What was written survives the end of the object.
				await runInDurableObject(victim, (_, state) => state.abort('crash')).catch(() => undefined)
			}
		}
		const expected = addSame(
			sessions.map(({ id, startedAt, reports, visitor }) => {
				const { state } = reports.at(-1) as { state: PlaybackSession['state'] }
				const session = { id, startedAt, reportedAt: now, audience: 'viewer' as const, visitor, place, state }
				return sumsOf(session, DURATION_MS)
			}),
			DURATION_MS,
		)
		const read = async () =>
			addSame(
				(await objectOf(ROOT).sums(0, now + DAY, now)).map(({ sums }) => sums),
				DURATION_MS,
			)
		// Open sessions, closed ones, and hours that were merged into days.
		for (const laterMs of [0, 3 * MINUTE, 40 * MINUTE, 4 * DAY]) {
			now += laterMs
			for (const shard of shards.toReversed())
				await runInDurableObject(objectOf(shard), (object) => object.tick(now))
			expect(await read()).toEqual(expected)
		}
		const org = (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(orgId)
		const { parts } = await org.period(0, 0, now + DAY, 1)
		const ofOrg = addSame(
			parts.map(({ sums }) => sums),
			0,
		)
		expect(ofOrg).toEqual({ ...expected, curve: null })
	},
)
