import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { receiveAiCallback } from '#schema/contract/platform/ai-callback.ts'
import { getAiSettings } from '#schema/contract/platform/settings/ai.ts'
import { callSecret, makeCapability } from '../../../edge/ai-providers/callbacks/call-secret.ts'
import type { ProviderOutcome } from '../../../edge/ai-providers/calls/outcome.ts'
import { supersedeCalls, transcribeWithProvider } from '../../../edge/ai-providers/calls/transcribe.ts'
import { features } from '../../../edge/features.ts'
import type { Feature } from '../../../edge/http/feature.ts'
import { DAY, MINUTE, SECOND } from '../../../edge/platform/clock.ts'
import { deriveSecrets } from '../../../edge/platform/tokens/secrets.ts'
import { testVariables } from '../../support/shared/variables.ts'
import { openProviderWorld, type ProviderWorld } from './provider.ts'

const KEY = 'provider-key-0123456789'
const secrets = deriveSecrets(testVariables.AUTH_SECRET)
const text = {
	callId: '',
	epoch: 2,
	status: 'completed',
	language: 'english',
	duration: 60,
	segments: [{ start: 0, end: 1, text: 'Hello there.' }],
}

let studio: ProviderWorld
let whileTaking: () => Promise<void>
let taken: { call: { callId: string; subject: string; epoch: number }; outcome: ProviderOutcome }[]
const transcription: Feature = {
	contributions: {
		async takeTranscription(_, call, outcome) {
			taken.push({ call, outcome })
			await whileTaking()
		},
	},
}
beforeEach(async () => {
	taken = []
	whileTaking = async () => undefined
	studio = await openProviderWorld({ PUBLIC_URL: 'https://edge.test' }, [...features, transcription])
})

/** Starts a call whose outcome comes later, and returns its id. */
async function start(provider: 'deepgram' | 'assemblyai' = 'deepgram', epoch = 2): Promise<string> {
	await studio.save({ transcription: { provider, apiKey: KEY, pricePerMinuteMicros: 6_000 } })
	const answers =
		provider === 'deepgram'
			? [{ request_id: 'r-1' }]
			: [{ upload_url: 'https://cdn.example/1' }, { id: 't-1' }]
	studio.reply(...answers.map((answer) => () => Response.json(answer)))
	const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
	const outcome = await studio.world.deps((deps) =>
		transcribeWithProvider(deps, studio.ada.orgId, audio, {
			language: null,
			later: { subject: 'chunk-1', epoch },
		}),
	)
	if (outcome.state !== 'waiting') throw new Error(`not waiting: ${JSON.stringify(outcome)}`)
	return outcome.callId
}

async function signed(
	callId: string,
	body: unknown,
	more: { id?: string; ageMs?: number; signer?: string } = {},
) {
	const raw = typeof body === 'string' ? body : JSON.stringify(body)
	const { id = 'msg-1', ageMs = 0, signer = callId } = more
	const at = new Date(studio.world.now - ageMs)
	const headers = {
		'webhook-id': id,
		'webhook-timestamp': String(Math.floor(at.getTime() / SECOND)),
		'webhook-signature': new Webhook(await callSecret(secrets, signer)).sign(id, at, raw),
		'content-type': 'application/json',
	}
	return studio.world.ask(receiveAiCallback, { query: { call: callId } }, { bytes: raw, headers })
}
const withCapability = (callId: string, cap: string, body: unknown) =>
	studio.world.ask(
		receiveAiCallback,
		{ query: { call: callId, cap } },
		{ bytes: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
	)
const statusOf = (callId: string) =>
	studio.world.deps(async ({ db }) => {
		const [row] = await db.all<{ status: string }>(`select status from ai_calls where id = '${callId}'`)
		return row?.status
	})

describe('a signed callback', () => {
	test('is stored, handled in the queue, and hands its text over once', async () => {
		const callId = await start()
		expect(await signed(callId, { ...text, callId })).toMatchObject({ status: 202, ok: { ignored: false } })
		expect(taken).toEqual([])
		expect((await env.VAULT.list({ prefix: 'ai-callbacks/' })).objects).toHaveLength(1)
		const messages = studio.world.messages.splice(0)
		await studio.world.deliver([...messages, ...messages])
		expect(taken).toMatchObject([
			{
				call: { callId, subject: 'chunk-1', epoch: 2 },
				outcome: { state: 'completed', result: { language: 'en', segments: [{ text: 'Hello there.' }] } },
			},
		])
		expect(await statusOf(callId)).toBe('completed')
		expect((await env.VAULT.list({ prefix: 'ai-callbacks/' })).objects).toEqual([])
		expect(await signed(callId, { ...text, callId })).toMatchObject({ status: 200, ok: { ignored: false } })
		expect(await signed(callId, { ...text, callId }, { id: 'msg-2' })).toMatchObject({
			...{ status: 200, ok: { ignored: true } },
		})
		expect(studio.world.messages).toEqual([])
	})

	test.each<[what: string, more: Parameters<typeof signed>[2]]>([
		['that is too old', { ageMs: 5 * MINUTE + 2 * SECOND }],
		['from the future', { ageMs: -5 * MINUTE - 2 * SECOND }],
		['with the secret of another call', { signer: 'aic_other' }],
	])('%s is refused', async (_, more) => {
		const callId = await start()
		expect((await signed(callId, { ...text, callId }, more)).status).toBe(401)
		expect(studio.world.messages).toEqual([])
	})

	test('whose body was changed, or that names another call, is refused', async () => {
		const callId = await start()
		const other = await start()
		expect((await signed(callId, { ...text, callId: other })).status).toBe(401)
		const raw = JSON.stringify({ ...text, callId })
		const headers = {
			'webhook-id': 'msg-1',
			'webhook-timestamp': String(Math.floor(studio.world.now / SECOND)),
			'webhook-signature': new Webhook(await callSecret(secrets, callId)).sign(
				'msg-1',
				new Date(studio.world.now),
				raw,
			),
		}
		const forged = { bytes: raw.replace('Hello', 'Howdy'), headers }
		expect((await studio.world.ask(receiveAiCallback, { query: { call: callId } }, forged)).status).toBe(401)
		expect(
			(await studio.world.ask(receiveAiCallback, { query: { call: other } }, { bytes: raw, headers })).status,
		).toBe(401)
	})

	test('about an unknown call gets 404, but only if its signature is right', async () => {
		expect((await signed('aic_unknown', text)).status).toBe(404)
		expect((await signed('aic_unknown', text, { signer: 'aic_other' })).status).toBe(401)
		expect(studio.world.statements).toEqual([])
		expect((await studio.world.ask(receiveAiCallback, { query: {} }, { bytes: 'x' })).status).toBe(401)
	})

	test('of more than 10 MB is refused by its size before it is read', async () => {
		const callId = await start()
		let pulled = 0
		const endless = new ReadableStream<Uint8Array>({
			pull(controller) {
				pulled++
				controller.enqueue(new Uint8Array(1_000_000))
			},
		})
		const headers = {
			'webhook-id': 'msg-1',
			'webhook-timestamp': String(Math.floor(studio.world.now / SECOND)),
			'webhook-signature': 'v1,AAAA',
		}
		const url = `https://edge.test${receiveAiCallback.path}?call=${callId}`
		const unsigned = await studio.world.fetch(new Request(url, { method: 'POST', body: endless }))
		expect([unsigned.status, pulled < 3]).toEqual([401, true])
		const more = new Request(url, {
			method: 'POST',
			headers: { ...headers, 'content-length': '10000001' },
			body: 'x',
		})
		expect((await studio.world.fetch(more)).status).toBe(413)
		expect((await signed(callId, `{"a":"${'x'.repeat(10_000_000)}"}`)).status).toBe(413)
	})

	test('of an older attempt, or about work that was started again, is ignored', async () => {
		const callId = await start()
		expect((await signed(callId, { ...text, callId, epoch: 1 })).ok).toEqual({ ignored: true })
		await studio.world.deps((deps) =>
			supersedeCalls(deps, studio.ada.orgId, { subject: 'chunk-1', epoch: 3 }),
		)
		expect((await signed(callId, { ...text, callId })).ok).toEqual({ ignored: true })
		expect([await statusOf(callId), studio.world.messages]).toEqual(['superseded', []])
	})

	test.each<[what: string, body: unknown, outcome: object]>([
		[
			'with a failure',
			{ status: 'failed', error: { message: 'Out of memory', retryable: true } },
			{ state: 'retry' },
		],
		[
			'with a final failure',
			{ status: 'failed', error: { code: 'bad_audio' } },
			{ state: 'failed', code: 'rejected' },
		],
		['with text alone', { status: 'completed', text: 'Hello' }, { state: 'failed', code: 'no_times' }],
		['with no JSON', '<html>', { state: 'retry' }],
		['with another form', [1], { state: 'retry' }],
		['with null', 'null', { state: 'retry' }],
	])('%s is accepted, and ends the call with a reason', async (_, body, outcome) => {
		const callId = await start()
		expect((await signed(callId, body)).status).toBe(202)
		await studio.world.deliver()
		expect(taken.map((one) => one.outcome)).toMatchObject([outcome])
		expect(await statusOf(callId)).toBe('failed')
	})

	test('about progress leaves the call open', async () => {
		const callId = await start()
		expect((await signed(callId, { status: 'progress', progress: 0.5 })).status).toBe(202)
		await studio.world.deliver()
		expect([await statusOf(callId), taken]).toEqual(['waiting', []])
	})
})

describe('a provider that cannot sign', () => {
	const spokenWords = [{ word: 'hi', punctuated_word: 'Hi.', start: 0, end: 1 }]
	const heard = { results: { channels: [{ alternatives: [{ transcript: 'Hi.', words: spokenWords }] }] } }
	const capabilityIn = (url: string) => new URL(url).searchParams.get('cap') ?? ''

	test('is believed under its capability, once', async () => {
		const callId = await start('deepgram')
		const callback = new URL(studio.sent[0]?.url ?? '').searchParams.get('callback') ?? ''
		expect(callback).toMatch(new RegExp(`^https://edge.test/v1/ai/whisper-callback\\?call=${callId}&cap=`))
		expect((await withCapability(callId, capabilityIn(callback), heard)).status).toBe(202)
		expect((await withCapability(callId, capabilityIn(callback), heard)).status).toBe(200)
		await studio.world.deliver()
		expect(taken).toMatchObject([
			{ outcome: { state: 'completed', result: { segments: [{ text: 'Hi.' }] } } },
		])
	})

	test('that only gives a hint is asked with our key, whatever its body says', async () => {
		const callId = await start('assemblyai')
		const cap = await makeCapability(secrets, callId, 'assemblyai', studio.world.now)
		studio.sent.length = 0
		const words = [{ text: 'Real.', start: 100, end: 900 }]
		studio.reply(() => Response.json({ status: 'completed', text: 'Real.', words, audio_duration: 60 }))
		await withCapability(callId, cap, { transcript_id: 'evil', status: 'completed', text: 'Forged' })
		await studio.world.deliver()
		expect(studio.sent.map(({ url }) => url)).toEqual(['https://api.assemblyai.com/v2/transcript/t-1'])
		expect(taken).toMatchObject([{ outcome: { result: { segments: [{ text: 'Real.', start: 0.1 }] } } }])
	})

	test.each<[what: string, cap: (callId: string) => Promise<string>]>([
		['of another call', () => makeCapability(secrets, 'aic_other', 'deepgram', studio.world.now)],
		['of another provider', (callId) => makeCapability(secrets, callId, 'assemblyai', studio.world.now)],
		['that has expired', (callId) => makeCapability(secrets, callId, 'deepgram', studio.world.now - DAY - 1)],
		[
			'with a later expiry',
			async (callId) => {
				const [expiry, hmac] = (await makeCapability(secrets, callId, 'deepgram', studio.world.now)).split(
					'.',
				)
				return `${Number(expiry) + 1}.${hmac}`
			},
		],
		['that is empty', async () => ''],
	])('with a capability %s is refused', async (_, cap) => {
		const callId = await start('deepgram')
		expect((await withCapability(callId, await cap(callId), heard)).status).toBe(401)
		expect(studio.world.messages).toEqual([])
	})
})

describe('two processes that end one call at once', () => {
	const supersede = () =>
		studio.world.deps((deps) => supersedeCalls(deps, studio.ada.orgId, { subject: 'chunk-1', epoch: 3 }))

	test('hand its outcome over once, whether one message comes twice or two deliveries come', async () => {
		const callId = await start()
		await signed(callId, { ...text, callId })
		await signed(callId, { ...text, callId }, { id: 'msg-2' })
		const [first, second] = studio.world.messages.splice(0)
		if (!first || !second) throw new Error('no messages')
		whileTaking = async () => {
			whileTaking = async () => undefined
			await studio.world.deliver([first, second])
		}
		await studio.world.deliver([first])
		expect([taken.length, await statusOf(callId)]).toEqual([1, 'completed'])
		studio.world.pass(5 * MINUTE + SECOND)
		await studio.world.cron('* * * * *')
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type === 'ai.callback'))
		expect([taken.length, (await env.VAULT.list({ prefix: 'ai-callbacks/' })).objects]).toEqual([1, []])
	})

	test('hand its outcome over once if the callback comes while the request for it breaks off', async () => {
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, pricePerMinuteMicros: 6_000 } })
		studio.reply(async () => {
			const [row] = await studio.world.deps(({ db }) => db.all<{ id: string }>('select id from ai_calls'))
			if (!row) throw new Error('no call')
			await signed(row.id, { ...text, callId: row.id })
			await studio.world.deliver()
			throw new TypeError('fetch failed')
		})
		const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
		const later = { subject: 'chunk-1', epoch: 2 }
		const outcome = await studio.world.deps((deps) =>
			transcribeWithProvider(deps, studio.ada.orgId, audio, { language: null, later }),
		)
		expect(outcome.state).toBe('waiting')
		expect(taken.map((each) => each.outcome.state)).toEqual(['completed'])
	})

	test('end it either superseded or completed, and hand nothing over that was superseded', async () => {
		const callId = await start()
		await signed(callId, { ...text, callId })
		whileTaking = supersede
		await studio.world.deliver()
		expect([taken.length, await statusOf(callId)]).toEqual([1, 'completed'])
		const other = await start()
		await signed(other, { ...text, callId: other })
		await supersede()
		await studio.world.deliver()
		expect([taken.length, await statusOf(other)]).toEqual([1, 'superseded'])
	})

	test('leave the call to the next one if the first fails, or dies', async () => {
		const callId = await start()
		await signed(callId, { ...text, callId })
		const messages = studio.world.messages.splice(0)
		whileTaking = async () => {
			throw new Error('database gone')
		}
		await studio.world.deliver(messages).catch(() => undefined)
		expect(await statusOf(callId)).toBe('waiting')
		whileTaking = async () => undefined
		studio.world.messages.length = 0
		await studio.world.deps(({ db }) =>
			db.all(`update ai_calls set taken_until = ${studio.world.now + MINUTE}, check_at = null returning 1`),
		)
		await studio.world.deliver(messages)
		expect([taken.length, await statusOf(callId)]).toEqual([1, 'waiting'])
		studio.world.pass(5 * MINUTE + SECOND)
		await studio.world.cron('* * * * *')
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type === 'ai.callback'))
		expect([taken.length, await statusOf(callId)]).toEqual([2, 'completed'])
	})
})

describe('work that the provider had accepted when the settings changed', () => {
	const used = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth
	const check = async () => {
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
	}

	test('is settled at its reserved price with another provider', async () => {
		const callId = await start('assemblyai')
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, pricePerMinuteMicros: 1 } })
		await check()
		expect([await statusOf(callId), taken.length]).toEqual(['failed', 1])
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000 })
	})

	test.each([401, 404])('is settled at its reserved price if a new key gets %i', async (status) => {
		const callId = await start('assemblyai')
		await studio.save({ transcription: { apiKey: `${KEY}2` } })
		studio.reply(() => new Response('no', { status }))
		await check()
		expect([await statusOf(callId), await used()]).toEqual(['failed', { audioSec: 60, costMicros: 6_000 }])
	})

	test('costs nothing if the provider itself reports a failure', async () => {
		await start('assemblyai')
		studio.reply(() => Response.json({ status: 'error', error: 'no speech' }))
		await check()
		expect(await used()).toEqual({ audioSec: 0, costMicros: 0 })
	})
})

describe('a provider that never calls', () => {
	test('is asked after twice the expected time, and again later while it works', async () => {
		const callId = await start('assemblyai')
		studio.sent.length = 0
		await studio.world.cron('* * * * *')
		expect(studio.sent).toEqual([])
		studio.world.pass(2 * MINUTE)
		studio.reply(() => Response.json({ status: 'processing' }))
		await studio.world.cron('* * * * *')
		await studio.world.cron('* * * * *')
		expect([studio.sent.length, await statusOf(callId)]).toEqual([1, 'waiting'])
		studio.world.pass(2 * MINUTE)
		studio.reply(() => Response.json({ status: 'completed', text: '', words: [] }))
		await studio.world.cron('* * * * *')
		expect(taken).toMatchObject([{ outcome: { state: 'completed', result: { segments: [] } } }])
	})

	test('is found by the index of open calls, however many calls have ended', async () => {
		const before = studio.world.statements.length
		await studio.world.cron('* * * * *')
		const claims = studio.world.statements
			.slice(before)
			.filter((sql) => sql.startsWith('update "ai_calls" set "check_at"'))
		expect(claims).toHaveLength(1)
		const plan = await studio.world.plan(String(claims[0]))
		expect(plan.join('\n')).toMatch(/SEARCH ai_calls USING (?:COVERING )?INDEX ai_calls_open/)
	})

	test('and cannot be asked is given up, so that the work starts again', async () => {
		const callId = await start('deepgram')
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
		expect(taken).toMatchObject([{ outcome: { state: 'retry', reason: 'the provider never answered' } }])
		expect(await statusOf(callId)).toBe('failed')
	})

	test('but whose message was lost is handled from the stored body', async () => {
		const callId = await start()
		await signed(callId, { ...text, callId })
		studio.world.messages.length = 0
		await studio.world.deps(({ db }) => db.all('update ai_calls set check_at = null returning 1'))
		studio.world.pass(5 * MINUTE + SECOND)
		await studio.world.cron('* * * * *')
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type === 'ai.callback'))
		expect([taken.length, await statusOf(callId)]).toEqual([1, 'completed'])
	})
})
