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
const beaten = (token?: string) =>
	Response.json({ data: { ok: true, now: '2026-01-01T00:00:00.000Z', token } })
const left = () => Response.json({ data: { id, left: true } })
const refused = (status: number, code: string, headers: Record<string, string> = {}) =>
	Response.json(
		{ error: code },
		{ status, headers: { 'x-error-code': code, 'x-request-id': 'request-1', ...headers } },
	)

/**
 * A daemon whose edge answers from a list, one answer per call, and whose sleep takes no time. It is drained with the
 * last answer; later calls repeat the end of the list.
 */
async function play(
	answers: readonly (Response | Error)[],
	goodbye: readonly (Response | Error)[] = [beaten(), left()],
) {
	const { log, lines, messages } = memoryLog()
	const drain = new AbortController()
	const calls: Call[] = []
	const naps: number[] = []
	const held: { aborted(): boolean }[] = []
	const script = [...answers, ...goodbye]
	const world: DaemonDeps = {
		client: createClient<AbortSignal>({
			baseUrl: 'https://edge.test',
			async fetch(url, { headers, body = '{}' }) {
				calls.push({
					path: new URL(url).pathname.replace('/v1/diagnostics/workers', '') || '/register',
					token: headers.authorization?.replace('Bearer ', '') ?? '',
					body: JSON.parse(body),
				})
				const answer = script.shift()
				if (!answer) throw new Error('the script is over')
				if (answer instanceof Error) throw answer
				return answer
			},
		}),
		fleetToken: 'the fleet token',
		machine: { fingerprint: '0b1e4c3a-6f6e-4c43-9a55-0d5a3f1f8a01', name: 'north', capabilities },
		readLoad: () => 0.5,
		running: () => 0,
		work: (_desk, draining) =>
			new Promise((done) => draining.addEventListener('abort', () => done(), { once: true })),
		random: () => 0.5,
		log,
		async sleep(ms) {
			naps.push(ms)
			if (calls.length >= answers.length) drain.abort()
		},
		async hold(_session, _ring, signal) {
			held.push({ aborted: () => signal.aborted })
		},
	}
	await runDaemon(world, { drain: drain.signal, abort: new AbortController().signal })
	return { calls, naps, held, lines, messages, paths: calls.map((call) => call.path) }
}

test('registers, sends heartbeats, drains and signs off', async () => {
	const { calls, paths, held } = await play([registered('t1'), beaten()])
	expect(paths).toEqual(['/register', '/heartbeat', '/heartbeat', '/leave'])
	expect(calls[0]).toMatchObject({
		token: 'the fleet token',
		body: { name: 'north', protocol: 1, ...capabilities },
	})
	expect(calls[1]).toMatchObject({ token: 't1', body: { state: 'online', running: 0, load: 0.5 } })
	expect(calls[2]?.body).toMatchObject({ state: 'draining' })
	expect(held).toHaveLength(1)
	expect(held[0]?.aborted()).toBe(true)
})

test('retries the registration with growing delays while the edge is down', async () => {
	const down = () =>
		new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
	const { naps, lines } = await play([
		down(),
		down(),
		refused(503, 'unavailable'),
		registered('t1'),
		beaten(),
	])
	expect(naps.slice(0, 3)).toEqual([500, 1_000, 2_000])
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
] as const)('a refusal with %i is explained, and tried again slowly', async (status, code, message) => {
	const { naps, messages, lines } = await play([refused(status, code), registered('t1'), beaten()])
	expect(messages()[0]).toBe(message)
	expect(naps[0]).toBeGreaterThanOrEqual(30_000)
	expect(lines.join('')).not.toContain('the fleet token"')
})

test('waits as long as a rate-limited registration asks', async () => {
	const { naps } = await play([
		refused(429, 'too_many_requests', { 'retry-after': '60' }),
		registered('t1'),
		beaten(),
	])
	expect(naps[0]).toBe(60_500)
})

test('uses a renewed token from then on', async () => {
	const { calls } = await play([registered('t1'), beaten('t2'), beaten()])
	expect(calls.map((call) => call.token)).toEqual(['the fleet token', 't1', 't2', 't2', 't2'])
})

test('registers again with a new socket when the edge rejects its token', async () => {
	const { calls, held } = await play([
		registered('t1'),
		beaten(),
		refused(401, 'unauthorized'),
		registered('t2'),
		beaten(),
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
	expect(held.map((socket) => socket.aborted())).toEqual([true, true])
})

test('does not loop when two machines share one identity', async () => {
	const lost = () => [registered('t'), refused(401, 'unauthorized')]
	const { naps, messages } = await play([...lost(), ...lost(), ...lost(), registered('t'), beaten()])
	expect(messages().join()).toContain('check that no other machine uses a copy of this data directory')
	expect(naps.slice(0, 2)).toEqual([4_000, 8_000])
})

test('retries failed heartbeats sooner and logs outage and recovery once', async () => {
	const away = () => refused(503, 'unavailable')
	const { naps, messages } = await play([registered('t1'), beaten(), away(), away(), away(), beaten()])
	expect(naps).toEqual([30_000, 1_000, 2_000, 4_000, 30_000])
	expect(messages().filter((message) => message.includes('edge'))).toEqual([
		'the edge does not answer',
		'the edge answers again',
	])
})

test('ends even if signing off fails', async () => {
	const { messages } = await play([registered('t1'), beaten()], [new TypeError('fetch failed')])
	expect(messages().at(-1)).toBe('could not sign off')
})

test('ends at once when drained before it is registered', async () => {
	const { paths } = await play([new TypeError('fetch failed')], [])
	expect(paths).toEqual(['/register'])
})
