import { type CmcdEventType, CmcdReporter } from '@svta/cml-cmcd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCmcd } from '../../../../../edge/watch/analytics/ingest/cmcd/read-cmcd.ts'
import {
	addEvents,
	deriveState,
	emptyEventLog,
} from '../../../../../edge/watch/analytics/sessions/event-state.ts'
import type { SessionState } from '../../../../../edge/watch/analytics/sessions/session.ts'
import type { TimedEvent } from '../../../../../edge/watch/analytics/sessions/timed-event.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { makeSession, makeState } from '../sums/arbitrary-sessions.ts'
import { recordedByHlsJs } from './hlsjs-recording.ts'

const PLAYBACK_ID = 'A'.repeat(22)
const START = 1_800_000_000_000
const record = (more: string) => `cid="${PLAYBACK_ID}",e=t,sid="s",ts=${START},v=2,${more}`
const read = (records: readonly string[]) => readCmcd(records, undefined)

const stateOfSent = (events: readonly TimedEvent[]): SessionState =>
	deriveState(addEvents(emptyEventLog, events, { startedAt: START, reportedAt: START }))

async function stateOfRecords(records: readonly string[]): Promise<SessionState> {
	const { sessions, problems } = await read(records)
	expect(problems).toEqual([])
	expect(sessions).toHaveLength(1)
	return stateOfSent(sessions[0]?.events ?? [])
}

describe('the CMCD of hls.js', () => {
	test('the CMCD of hls.js yields the startup, stalls, seeks, bitrates and the watched time', async () => {
		expect(await stateOfRecords(recordedByHlsJs(PLAYBACK_ID))).toMatchObject({
			activity: 'ended',
			startupMs: 3,
			watchedMs: 9_965 + 1_052 + 1_528 + 4_987,
			unplacedMs: 9_965 + 1_528 + 4_987,
			played: [],
			stalls: 1,
			stalledMs: 1_052,
			seeks: 1,
			seekMs: 12,
			renditionsUp: 2,
			renditionsDown: 2,
			unsizedMs: 9_965 + 1_528 + 4_987,
			bitrateMs: 900 * (9_965 + 1_466 + 4_965) + 300 * (62 + 22),
			error: null,
		})
	})

	test('the CMCD of hls.js yields the same state if it arrives twice and in any order', async () => {
		const records = recordedByHlsJs(PLAYBACK_ID)
		const once = await stateOfRecords(records)
		await fc.assert(
			fc.asyncProperty(
				fc.shuffledSubarray([...records, ...records], { minLength: 2 * records.length }),
				async (shuffled) => {
					expect(await stateOfRecords(shuffled)).toEqual(once)
				},
			),
			{ numRuns: propertyRuns(20) },
		)
	})

	test('the CMCD of hls.js yields the same counts if all requests of one kind are lost', async () => {
		const records = recordedByHlsJs(PLAYBACK_ID)
		const withoutIntervals = records.filter((text) => !text.includes('e=t,'))
		const { seq: _, ...once } = await stateOfRecords(records)
		expect(await stateOfRecords(withoutIntervals)).toMatchObject(once)
	})
})

/** What a viewer does after the start, and for how long, in tenths of a second. */
const step = fc.tuple(fc.constantFrom('p', 'r', 'k', 'a'), fc.integer({ min: 1, max: 200 }))
const anyScript = fc.record({
	waits: fc.integer({ min: 0, max: 100 }),
	steps: fc.array(step, { maxLength: 20 }),
	ending: fc.constantFrom('e', 'f', 'q', null),
})
type Script = typeof anyScript extends fc.Arbitrary<infer S> ? S : never

/** The state of a player of ours after the script: each step adds what it is about. */
function nativeState({ waits, steps, ending }: Script): SessionState {
	const state = makeState({ waitedMs: waits * 100, activity: 'starting' })
	const played = steps.length > 0 ? [0, 0] : []
	let before = 'p'
	for (const [activity, tenths] of steps) {
		const ms = tenths * 100
		const isPartOfSeek = activity === 'r' && before === 'k'
		if (activity === 'p') played.push((played.at(-1) ?? 0) + tenths)
		if (activity === 'p') played.splice(1, 1)
		if (activity === 'k' && before !== 'k') state.seeks++
		if (activity === 'k' || isPartOfSeek) state.seekMs += ms
		if (activity === 'r' && !isPartOfSeek && before !== 'r') state.stalls++
		if (activity === 'r' && !isPartOfSeek) state.stalledMs += ms
		if (activity === 'p' || (activity === 'r' && !isPartOfSeek)) state.watchedMs += ms
		if (!isPartOfSeek) before = activity
	}
	if (steps.length > 0) state.startupMs = state.waitedMs
	return {
		...state,
		played: played[1] === 0 ? [] : played,
		activity: ending === 'f' ? 'failed' : ending === null ? state.activity : 'ended',
		error: ending === 'f' ? 'net' : null,
	}
}

/** Has the reporter that hls.js, dash.js and Shaka use report the script. */
async function reportedByLibrary({ waits, steps, ending }: Script): Promise<string[]> {
	const bodies: string[] = []
	const reporter = new CmcdReporter(
		{
			sid: crypto.randomUUID(),
			cid: PLAYBACK_ID,
			enabledKeys: [],
			eventTargets: [
				{
					url: 'https://edge.test/v1/analytics/events',
					events: ['ps', 'e'],
					batchSize: 3,
					enabledKeys: ['cid', 'sid', 'sta', 'ec', 'sn'],
				},
			],
		},
		async ({ body }) => {
			bodies.push(String(body))
			return { status: 202 }
		},
	)
	let ts = START
	const enter = (sta: 's' | 'p' | 'r' | 'k' | 'a' | 'e' | 'f' | 'q', event: CmcdEventType = 'ps') =>
		reporter.recordEvent(event, { sta, ts, ...(event === 'e' && { ec: ['net'] }) })
	enter('s')
	ts += waits * 100
	for (const [activity, tenths] of steps) {
		if (activity !== 'p' && ts === START + waits * 100) enter('p')
		enter(activity as 'p' | 'r' | 'k' | 'a')
		ts += tenths * 100
	}
	if (ending === 'f') enter('f', 'e')
	enter(ending ?? (steps.at(-1)?.[0] as 'p' | undefined) ?? 's')
	reporter.stop(true)
	// The end of the last step is known only if something is reported then.
	if (ending === null) {
		reporter.recordEvent('e', { sta: (steps.at(-1)?.[0] ?? 's') as 'p', ts })
		reporter.flush()
	}
	return bodies.flatMap((body) => body.trimEnd().split('\n'))
}

const carried = [
	...['attempts', 'starts', 'views', 'engaged', 'exitsBeforeStart', 'failures', 'startupFailures'],
	...['watchedMs', 'playedMs', 'stalls', 'stalledMs', 'seeks', 'seekMs', 'startup'],
] as const

test('a player with CMCD counts as ours does, in everything that CMCD contains', async () => {
	await fc.assert(
		fc.asyncProperty(anyScript, async (script) => {
			const native = nativeState(script)
			const foreign = await stateOfRecords(await reportedByLibrary(script))
			const [expected, actual] = [native, foreign].map((state) => {
				const sums: Record<string, unknown> = sumSession({ ...makeSession(), state }, 600_000)
				return { ...Object.fromEntries(carried.map((name) => [name, sums[name]])), error: sums.error }
			})
			expect(actual).toEqual(expected)
		}),
		{ numRuns: propertyRuns(100) },
	)
})

test('the CMCD of other players yields positions, totals and bitrates by type', async () => {
	const at = (ms: number, more: string) => record(more).replace(String(START), String(START + ms))
	const state = await stateOfRecords([
		at(0, 'sta=s,sn=0'),
		at(900, 'sta=p,msd=850,pt=0,br=(5000;v 320;a),sn=1'),
		at(10_900, 'sta=p,pt=10000,bsa=(2;v 1;a),bsda=(700;v 300;a),dfa=12,sn=2'),
		at(10_900, 'sta=k,pt=60000,sn=3'),
		at(11_000, 'sta=p,pt=60000,pr=2,sn=4'),
		at(15_000, 'sta=f,pt=68000,ec=("3016 x"),sn=5'),
	])
	expect(state).toMatchObject({
		startupMs: 850,
		played: [0, 100, 600, 680],
		unplacedMs: 0,
		stalls: 2,
		stalledMs: 700,
		droppedFrames: 12,
		bitrateMs: 5_320 * 14_000,
		activity: 'failed',
		error: '3016_x',
	})
})

test('unknown CMCD keys and invalid values are ignored', async () => {
	const { sessions, problems } = await read([
		record('sta=zzz,pt="x",br=(-5 "a"),sn=1.5,msd=?1,pr=1000,constructor=1,com.example-key="x",bs="yes"'),
	])
	expect(problems).toEqual([])
	expect(sessions[0]?.events).toEqual([
		{ kind: 'activity', at: START, number: 2, isChange: false, rate: 1, isStarved: false },
	])
})

test('the same sid always yields the same session id, in the form of our own ids', async () => {
	const ids = await Promise.all(
		['s', 's', 'x'.repeat(64)].map(async (sid) => {
			const { sessions } = await read([record('sta=p').replace('sid="s"', `sid="${sid}"`)])
			return sessions[0]?.sessionId ?? ''
		}),
	)
	expect(ids[0]).toBe(ids[1])
	expect(ids[2]).not.toBe(ids[0])
	for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/)
})

test.each([
	['another version', record('').replace('v=2,', 'v=3'), /^v: must be 2/],
	['no version', record('sta=p').replace('v=2,', ''), /^v: must be 2/],
	['no event', record('sta=p').replace('e=t,', ''), /^e: /],
	['no time', record('sta=p').replace(`ts=${START},`, ''), /^ts: /],
	['a time before 1970', record('sta=p').replace(`ts=${START}`, 'ts=-1'), /^ts: /],
	['no session', record('sta=p').replace('sid="s",', ''), /^sid: /],
	['a long session id', record('sta=p').replace('sid="s"', `sid="${'x'.repeat(65)}"`), /^sid: /],
	['another content id', record('sta=p').replace(PLAYBACK_ID, 'film.mp4'), /^cid: /],
	['a long key', record(`${'k'.repeat(3_000)}=1`), /at most 2048 characters/],
	['too many values', record(`a=(${'1 '.repeat(130)})`), /at most .* 128 values/],
	['a key that is no key', record('__proto__=1'), /dictionary/],
	['an empty line', '', /^v: /],
])('a CMCD record with %s is rejected, and the others are used', async (_, text, message) => {
	const { sessions, problems } = await read([record('sta=s'), text, record('sta=p')])
	expect(problems).toEqual([{ index: 1, code: 'invalid', message: expect.stringMatching(message) }])
	expect(sessions.map(({ indexes }) => indexes)).toEqual([[0, 2]])
})

test('any text is a CMCD record that is used or rejected', async () => {
	const part = fc.constantFrom(
		'cid=',
		'"',
		'(',
		')',
		';',
		',',
		'=',
		'v=2',
		'ts=1',
		'?1',
		':',
		'@',
		'\\',
		'\0',
		'-',
	)
	const texts = fc.array(
		fc.oneof(
			fc.string({ unit: 'binary', maxLength: 100 }),
			fc.array(fc.oneof(part, fc.string({ maxLength: 4 }))).map((parts) => parts.join('')),
			fc.string({ maxLength: 20 }).map((more) => record(more)),
		),
		{ maxLength: 10 },
	)
	await fc.assert(
		fc.asyncProperty(texts, async (records) => {
			const { sessions, problems } = await read(records)
			const used = sessions.flatMap(({ indexes }) => indexes)
			expect([...used, ...problems.map(({ index }) => index)].toSorted((a, b) => a - b)).toEqual([
				...records.keys(),
			])
			for (const { events } of sessions) stateOfSent(events)
		}),
		{ numRuns: propertyRuns(40) },
	)
})
