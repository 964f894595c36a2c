import { expect, test } from 'vitest'
import { createClient } from '#schema/contract/kit/client.ts'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import { type DaemonDeps, runDaemon } from '../../transcoder-daemon/daemon.ts'
import { memoryLog } from './memory-log.ts'

const id = 'mch_01hv0000000000000000000000'
const capabilities: MachineCapabilities = {
	kind: 'cpu',
	cores: 2,
	memoryBytes: 1,
	ffmpegVersion: '5.1',
	encoders: ['libx264'],
	slots: 1,
}

type Call = { path: string; token: string; body: Record<string, unknown> }

const registered = (token: string) =>
	Response.json(
		{ data: { id, token, expiresAt: '2026-01-01T00:00:00.000Z', heartbeatSeconds: 30 } },
		{ status: 201 },
	)
const heartbeatAccepted = (token?: string) =>
	Response.json({ data: { ok: true, now: '2026-01-01T00:00:00.000Z', token } })
const signedOff = () => Response.json({ data: { id, left: true } })
const errorResponse = (status: number, code: string, headers: Record<string, string> = {}) =>
	Response.json(
		{ error: code },
		{ status, headers: { 'x-error-code': code, 'x-request-id': 'request-1', ...headers } },
	)

/**
 * Runs a daemon whose edge gives one answer of a list per call, and whose sleep takes no time. The daemon is drained
 * after the last of `answers`; `signOffAnswers` follow.
 */
async function runWithAnswers(
	answers: readonly (Response | Error)[],
	signOffAnswers: readonly (Response | Error)[] = [heartbeatAccepted(), signedOff()],
) {
	const { log, lines, messages } = memoryLog()
	const drain = new AbortController()
	const calls: Call[] = []
	const delays: number[] = []
	const sockets: { aborted(): boolean }[] = []
	const remaining = [...answers, ...signOffAnswers]
	const deps: DaemonDeps = {
		client: createClient<AbortSignal>({
			baseUrl: 'https://edge.test',
			async fetch(url, { headers, body = '{}' }) {
				calls.push({
					path: new URL(url).pathname.replace('/v1/diagnostics/workers', '') || '/register',
					token: headers.authorization?.replace('Bearer ', '') ?? '',
					body: JSON.parse(body),
				})
				const answer = remaining.shift()
				if (!answer) throw new Error('the list of answers is empty')
				if (answer instanceof Error) throw answer
				return answer
			},
		}),
		fleetToken: 'the fleet token',
		machine: { fingerprint: '0b1e4c3a-6f6e-4c43-9a55-0d5a3f1f8a01', name: 'north', capabilities },
		readLoad: () => 0.5,
		running: () => 0,
		work: (_session, drainSignal) =>
			new Promise((done) => drainSignal.addEventListener('abort', () => done(), { once: true })),
		random: () => 0.5,
		log,
		async sleep(ms) {
			delays.push(ms)
			if (calls.length >= answers.length) drain.abort()
		},
		async hold(_session, _onWake, signal) {
			sockets.push({ aborted: () => signal.aborted })
		},
	}
	await runDaemon(deps, { drain: drain.signal, abort: new AbortController().signal })
	return { calls, delays, sockets, lines, messages, paths: calls.map((call) => call.path) }
}

test('the daemon registers, sends heartbeats, drains and signs off', async () => {
	const { calls, paths, sockets } = await runWithAnswers([registered('t1'), heartbeatAccepted()])
	expect(paths).toEqual(['/register', '/heartbeat', '/heartbeat', '/leave'])
	expect(calls[0]).toMatchObject({
		token: 'the fleet token',
		body: { name: 'north', protocol: 1, ...capabilities },
	})
	expect(calls[1]).toMatchObject({ token: 't1', body: { state: 'online', running: 0, load: 0.5 } })
	expect(calls[2]?.body).toMatchObject({ state: 'draining' })
	expect(sockets).toHaveLength(1)
	expect(sockets[0]?.aborted()).toBe(true)
})

test('the daemon retries its registration with growing delays while the edge is down', async () => {
	const down = () =>
		new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
	const { delays, lines } = await runWithAnswers([
		down(),
		down(),
		errorResponse(503, 'unavailable'),
		registered('t1'),
		heartbeatAccepted(),
	])
	expect(delays.slice(0, 3)).toEqual([500, 1_000, 2_000])
	expect(lines[0]).toContain('fetch failed (ECONNREFUSED)')
	expect(lines[2]).toContain('"requestId":"request-1"')
})

test.each([
	[
		401,
		'unauthorized',
		"the edge rejects the fleet token: set PLAYHOUSE_FLEET_TOKEN to the edge's FLEET_TOKEN",
	],
	[
		403,
		'forbidden',
		'this machine was evicted: ask a superadmin to readmit it (POST /v1/diagnostics/workers/{id}/readmit)',
	],
	[501, 'not_configured', 'the edge accepts no machines: set FLEET_TOKEN and AUTH_SECRET there'],
	[400, 'validation', 'the edge does not understand this daemon: update the older of the two'],
	[404, 'not_found', 'no Playhouse edge answers at PLAYHOUSE_EDGE_URL: check the address'],
] as const)(
	'the daemon explains a rejection with status %i and retries slowly',
	async (status, code, message) => {
		const { delays, messages, lines } = await runWithAnswers([
			errorResponse(status, code),
			registered('t1'),
			heartbeatAccepted(),
		])
		expect(messages()[0]).toBe(message)
		expect(delays[0]).toBeGreaterThanOrEqual(30_000)
		expect(lines.join('')).not.toContain('the fleet token"')
	},
)

test('the daemon waits as long as Retry-After of a rate-limited registration requires', async () => {
	const { delays } = await runWithAnswers([
		errorResponse(429, 'too_many_requests', { 'retry-after': '60' }),
		registered('t1'),
		heartbeatAccepted(),
	])
	expect(delays[0]).toBe(60_500)
})

test('the daemon uses a renewed token at once', async () => {
	const { calls } = await runWithAnswers([registered('t1'), heartbeatAccepted('t2'), heartbeatAccepted()])
	expect(calls.map((call) => call.token)).toEqual(['the fleet token', 't1', 't2', 't2', 't2'])
})

test('the daemon registers again with a new socket when the edge rejects its token', async () => {
	const { calls, sockets } = await runWithAnswers([
		registered('t1'),
		heartbeatAccepted(),
		errorResponse(401, 'unauthorized'),
		registered('t2'),
		heartbeatAccepted(),
	])
	expect(calls.map((call) => call.token)).toEqual([
		'the fleet token',
		't1',
		't1',
		'the fleet token',
		't2',
		't2',
		't2',
	])
	expect(sockets.map((socket) => socket.aborted())).toEqual([true, true])
})

test('two machines with one identity do not cause a loop of registrations', async () => {
	const lost = () => [registered('t'), errorResponse(401, 'unauthorized')]
	const { delays, messages } = await runWithAnswers([
		...lost(),
		...lost(),
		...lost(),
		registered('t'),
		heartbeatAccepted(),
	])
	expect(messages().join()).toContain('check that no other machine uses a copy of this data directory')
	expect(delays.slice(0, 2)).toEqual([4_000, 8_000])
})

test('the daemon retries failed heartbeats sooner and logs outage and recovery once', async () => {
	const away = () => errorResponse(503, 'unavailable')
	const { delays, messages } = await runWithAnswers([
		registered('t1'),
		heartbeatAccepted(),
		away(),
		away(),
		away(),
		heartbeatAccepted(),
	])
	expect(delays).toEqual([30_000, 1_000, 2_000, 4_000, 30_000])
	expect(messages().filter((message) => message.includes('edge'))).toEqual([
		'the edge does not answer',
		'the edge answers again',
	])
})

test('the daemon ends even if signing off fails', async () => {
	const { messages } = await runWithAnswers(
		[registered('t1'), heartbeatAccepted()],
		[new TypeError('fetch failed')],
	)
	expect(messages().at(-1)).toBe('could not sign off')
})

test('the daemon ends at once when drained before it is registered', async () => {
	const { paths } = await runWithAnswers([new TypeError('fetch failed')], [])
	expect(paths).toEqual(['/register'])
})
