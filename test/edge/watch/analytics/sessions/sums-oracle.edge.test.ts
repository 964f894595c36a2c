/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OrgAnalytics } from '../../../../../edge/watch/analytics/org/org-object.ts'
import { addSumsOfDuration } from '../../../../../edge/watch/analytics/sessions/hour-sums.ts'
import type { SessionReport } from '../../../../../edge/watch/analytics/sessions/open-session.ts'
import type { PlaybackSession } from '../../../../../edge/watch/analytics/sessions/session.ts'
import type { PlaybackSessions } from '../../../../../edge/watch/analytics/sessions/session-object.ts'
import {
	findShardAtLevel,
	formatObjectName,
	ROOT,
	type Shard,
} from '../../../../../edge/watch/analytics/sessions/shards/shards.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import { emptyRuntime } from '../../../../support/edge/empty-runtime.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { stateAt } from '../states.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const SECOND = 1_000
const MINUTE = 60_000
const DURATION_MS = 600_000
const DAY = 86_400_000
const namespace = env.PLAYBACK_SESSIONS as DurableObjectNamespace<PlaybackSessions>

const shards: Shard[] = [ROOT, { level: 1, index: 0 }, { level: 1, index: 1 }]

const place = fc.record({
	device: fc.constantFrom('desktop', 'phone'),
	browser: fc.constantFrom('Chrome', 'Firefox'),
	country: fc.constantFrom('DE', 'FR', null),
	referrer: fc.constantFrom('example.org', null),
	player: fc.constantFrom('embed', 'watch'),
}) satisfies fc.Arbitrary<PlaybackSession['place']>

/** A session that begins within an hour, with a report every ten seconds or so, and seeks. */
const session = fc.record({
	startedAt: fc.integer({ min: 30, max: 89 }).map((minutes) => NOW + minutes * MINUTE),
	isAtRoot: fc.integer({ min: 1, max: 10 }).map((k) => k > 3),
	audience: fc.constantFrom('viewer', 'viewer', 'viewer', 'viewer', 'member', 'bot') satisfies fc.Arbitrary<
		PlaybackSession['audience']
	>,
	place,
	visitor: fc.stringMatching(/^[0-9a-f]{16}$/),
	parts: fc.array(
		fc.record({
			ticks: fc.integer({ min: 10, max: 99 }),
			seekTo: fc.option(fc.nat(5_000)),
			/** How often the report arrives. The first and the last one arrive at least once. */
			copies: fc.nat(2),
			lateSec: fc.nat(20),
		}),
		{ minLength: 1, maxLength: 6 },
	),
	ending: fc.constantFrom('closed', 'failed', 'vanished', 'vanished'),
	/** The second report then comes without a token, and not to the object that has the session. */
	isFirstAnswerLost: fc.boolean(),
})
type DrawnSession = typeof session extends fc.Arbitrary<infer Drawn> ? Drawn : never

const fault = fc.record({
	after: fc.nat(400),
	shard: fc.constantFrom(...shards),
	what: fc.constantFrom('tick', 'crash'),
})

/** Returns the states that the player reports, one for each part. */
function statesOf({ parts, ending }: DrawnSession): PlaybackSession['state'][] {
	const played: number[] = []
	let position = 0
	let watched = 0
	return parts.map(({ ticks, seekTo }, n) => {
		position = seekTo ?? position
		if (played.at(-1) === position && n > 0) played[played.length - 1] = position + ticks
		else played.push(position, position + ticks)
		position += ticks
		watched += ticks * 100
		const isFailed = ending === 'failed' && n === parts.length - 1
		return stateAt(0, {
			seq: n + 1,
			watchedMs: watched,
			positionMs: position * 100,
			played: [...played],
			startupMs: 200 + n,
			stalls: n,
			stalledMs: Math.min(watched, n * 300),
			renditionMs: { 720: watched },
			// A first report delivers nothing, and a second later 16 s can have been loaded.
			deliveredMs: { 720: n === 0 ? 0 : Math.min(watched, 16_000) },
			bitrateMs: watched * 2_000,
			...(isFailed && { activity: 'failed' as const, error: 'mediaError' }),
		})
	})
}

/** What the player and the oracle know about a session. */
type Progress = {
	id: string
	drawn: DrawnSession
	shard: Shard
	/** From the first answer that arrived. */
	grantedAt: number | null
	/** By the last answer. */
	startedAt: number
	newest: PlaybackSession['state'] | null
	reportedAt: number
	isEnded: boolean
}

test('the sums equal those of the newest report of each session, whatever happens to reports and objects', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(session, { minLength: 70, maxLength: 90 }),
			fc.array(fault, { minLength: 10, maxLength: 40 }),
			async (drawnSessions, faults) => {
				await emptyRuntime()
				const playbackId = crypto.randomUUID()
				const orgId = `org_${playbackId}`
				const objectOf = (shard: Shard) => namespace.getByName(formatObjectName(playbackId, shard))
				const players = drawnSessions.map((drawn, k): Progress => {
					const id = `session-${playbackId}-${k}`
					return {
						...{ id, drawn, shard: drawn.isAtRoot ? ROOT : findShardAtLevel(id, 1), grantedAt: null },
						...{ startedAt: 0, newest: null, reportedAt: 0, isEnded: false },
					}
				})
				let now = NOW
				const send = async (player: Progress, state: PlaybackSession['state']) => {
					const { id, drawn, shard, grantedAt } = player
					const isLast = state.seq === drawn.parts.length
					const report: SessionReport = {
						...{ sessionId: id, reportId: null, startedAt: grantedAt, audience: drawn.audience },
						...{ visitor: drawn.visitor, place: { ...drawn.place }, state, events: [] },
						mayBeElsewhere: player.newest !== null && grantedAt === null,
						isEnd: isLast && drawn.ending !== 'vanished',
					}
					const to = report.mayBeElsewhere ? ROOT : shard
					const of = {
						playbackId,
						assetId: 'ast',
						orgId,
						durationMs: DURATION_MS,
						isSigned: false,
						shard: to,
					}
					const { sessions } = await objectOf(to).report(of, [report], now)
					const [answer] = sessions
					if (!answer) throw new Error(`${id} is over`)
					if (player.newest !== null || !drawn.isFirstAnswerLost) {
						player.grantedAt = answer.startedAt
						player.shard = answer.shard
					}
					player.startedAt = answer.startedAt
					if (state.seq >= (player.newest?.seq ?? 0)) player.newest = state
					player.reportedAt = now
					player.isEnded ||= report.isEnd
				}
				/** Whoever still watches reports again. An end is never repeated. */
				const reportAgain = async (shard: Shard) => {
					for (const player of players) {
						const isWatching = player.newest && !player.isEnded && now - player.reportedAt < 30 * MINUTE
						if (isWatching && formatObjectName('', player.shard) === formatObjectName('', shard))
							await send(player, player.newest as PlaybackSession['state'])
					}
				}
				await objectOf(ROOT).noteLoad(shards[1] as Shard, { viewers: 9_000, startsPerSecond: 0 }, now)

				const sent = players.flatMap((player) => {
					let at = player.drawn.startedAt
					const states = statesOf(player.drawn)
					return states.flatMap((state, n) => {
						const { ticks, copies, lateSec } = player.drawn.parts[n] as DrawnSession['parts'][number]
						at += ticks * 100
						const arrivals = n === 0 || n === states.length - 1 ? Math.max(1, copies) : copies
						// A first report without a token that comes again much later may open the session a second time.
						const lateMs = n === 0 || player.drawn.isFirstAnswerLost ? 0 : lateSec * SECOND
						return Array.from({ length: arrivals }, () => ({ at: at + lateMs, player, state }))
					})
				})
				for (const [n, { at, player, state }] of sent.toSorted((a, b) => a.at - b.at).entries()) {
					now = Math.max(now, at)
					await send(player, state)
					for (const { shard, what } of faults.filter(({ after }) => after === n)) {
						if (what === 'tick') await runInDurableObject(objectOf(shard), (object) => object.tick(now))
						else {
							await runInDurableObject(objectOf(shard), (_, state) => state.abort('crash')).catch(
								() => undefined,
							)
							await reportAgain(shard)
						}
					}
				}

				const expected = addSumsOfDuration(
					players.map(({ id, drawn, startedAt, newest }) => {
						const { audience, visitor, place } = drawn
						const state = newest as PlaybackSession['state']
						return sumSession(
							{ id, startedAt, reportedAt: now, audience, visitor, place, state },
							DURATION_MS,
						)
					}),
					DURATION_MS,
				)
				const read = async () =>
					addSumsOfDuration(
						(await objectOf(ROOT).sums(0, now + DAY, now)).map(({ sums }) => sums),
						DURATION_MS,
					)
				// Open sessions, which the root knows of half a minute later, closed ones, and hours that were merged into days.
				for (const laterMs of [30 * SECOND, 3 * MINUTE, 40 * MINUTE, 4 * DAY]) {
					now += laterMs
					for (const shard of shards.toReversed())
						await runInDurableObject(objectOf(shard), (object) => object.tick(now))
					expect(await read()).toEqual(expected)
				}
				const org = (env.ORG_ANALYTICS as DurableObjectNamespace<OrgAnalytics>).getByName(orgId)
				const { parts } = await org.period(0, 0, now + DAY, 1)
				const ofOrg = addSumsOfDuration(
					parts.map(({ sums }) => sums),
					0,
				)
				expect(ofOrg).toEqual({ ...expected, curve: null })
			},
		),
		{ numRuns: propertyRuns(4), endOnFailure: true },
	)
})
