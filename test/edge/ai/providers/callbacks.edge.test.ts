import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { receiveAiCallback } from '#schema/contract/ai/callback.ts'
import { deriveCallSecret, makeCapability } from '../../../../edge/ai/providers/callbacks/call-secret.ts'
import { supersedeCalls } from '../../../../edge/ai/providers/calls/transcribe.ts'
import { DAY, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { type LaterCalls, openLaterCalls, secrets, text } from './later-calls.ts'

let later: LaterCalls
let studio: LaterCalls['studio']
let taken: LaterCalls['taken']
beforeEach(async () => {
	later = await openLaterCalls()
	studio = later.studio
	taken = later.taken
})

describe('a signed callback', () => {
	test('a signed callback is stored, handled in the queue, and delivers its text once', async () => {
		const callId = await later.start()
		expect(await later.signed(callId, { ...text, callId })).toMatchObject({
			status: 202,
			ok: { ignored: false },
		})
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
		expect(await later.readStatus(callId)).toBe('completed')
		expect((await env.VAULT.list({ prefix: 'ai-callbacks/' })).objects).toEqual([])
		expect(await later.signed(callId, { ...text, callId })).toMatchObject({
			status: 200,
			ok: { ignored: false },
		})
		expect(await later.signed(callId, { ...text, callId }, { id: 'msg-2' })).toMatchObject({
			...{ status: 200, ok: { ignored: true } },
		})
		expect(studio.world.messages).toEqual([])
	})

	test.each<[what: string, more: Parameters<LaterCalls['signed']>[2]]>([
		['that is too old', { ageMs: 5 * MINUTE + 2 * SECOND }],
		['from the future', { ageMs: -5 * MINUTE - 2 * SECOND }],
		['with the secret of another call', { signer: 'aic_other' }],
	])('a signed callback %s is refused', async (_, more) => {
		const callId = await later.start()
		expect((await later.signed(callId, { ...text, callId }, more)).status).toBe(401)
		expect(studio.world.messages).toEqual([])
	})

	test('a signed callback with a changed body, or for another call, is refused', async () => {
		const callId = await later.start()
		const other = await later.start()
		expect((await later.signed(callId, { ...text, callId: other })).status).toBe(401)
		const raw = JSON.stringify({ ...text, callId })
		const headers = {
			'webhook-id': 'msg-1',
			'webhook-timestamp': String(Math.floor(studio.world.now / SECOND)),
			'webhook-signature': new Webhook(await deriveCallSecret(secrets, callId)).sign(
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

	/** Returns the status of a request whose body never ends, and how many pieces of it were read. */
	const sendEndless = async (callId: string, headers: Record<string, string>) => {
		let pulled = 0
		const body = new ReadableStream<Uint8Array>({
			pull(controller) {
				pulled++
				controller.enqueue(new Uint8Array(1_000_000))
			},
		})
		const url = `https://edge.test${receiveAiCallback.path}?call=${callId}`
		const { status } = await studio.world.fetch(new Request(url, { method: 'POST', headers, body }))
		return { status, pulled }
	}
	const signedHeaders = () => ({
		'webhook-id': 'msg-1',
		'webhook-timestamp': String(Math.floor(studio.world.now / SECOND)),
		'webhook-signature': 'v1,AAAA',
	})

	test('a signed callback for an unknown call is refused before its body is read, with one statement', async () => {
		expect((await later.signed('aic_unknown', text)).status).toBe(401)
		expect(studio.world.statements).toHaveLength(1)
		const { status, pulled } = await sendEndless('aic_unknown', signedHeaders())
		expect([status, pulled < 3]).toEqual([401, true])
		const cap = await makeCapability(secrets, 'aic_unknown', 'deepgram', studio.world.now)
		expect((await later.withCapability('aic_unknown', cap, {})).status).toBe(404)
	})

	test('a callback without a call or a signature is refused without any statement', async () => {
		expect((await studio.world.ask(receiveAiCallback, { query: {} }, { bytes: 'x' })).status).toBe(401)
		expect(studio.world.statements).toEqual([])
	})

	test('a callback of more than 10 MB is refused as soon as its size is known', { tags: 'd1' }, async () => {
		const callId = await later.start()
		const unsigned = await sendEndless(callId, {})
		expect([unsigned.status, unsigned.pulled < 3]).toEqual([401, true])
		const signed = await sendEndless(callId, signedHeaders())
		expect([signed.status, signed.pulled < 15]).toEqual([413, true])
		const more = new Request(`https://edge.test${receiveAiCallback.path}?call=${callId}`, {
			method: 'POST',
			headers: { ...signedHeaders(), 'content-length': '10000001' },
			body: 'x',
		})
		expect((await studio.world.fetch(more)).status).toBe(413)
		expect((await later.signed(callId, `{"a":"${'x'.repeat(10_000_000)}"}`)).status).toBe(413)
	})

	test('a callback of an older attempt or of superseded work is ignored', async () => {
		const callId = await later.start()
		expect((await later.signed(callId, { ...text, callId, epoch: 1 })).ok).toEqual({ ignored: true })
		await studio.world.deps((deps) =>
			supersedeCalls(deps, studio.ada.orgId, { subject: 'chunk-1', epoch: 3 }),
		)
		expect((await later.signed(callId, { ...text, callId })).ok).toEqual({ ignored: true })
		expect([await later.readStatus(callId), studio.world.messages]).toEqual(['superseded', []])
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
	])('a signed callback %s is accepted, and ends the call with a reason', async (_, body, outcome) => {
		const callId = await later.start()
		expect((await later.signed(callId, body)).status).toBe(202)
		await studio.world.deliver()
		expect(taken.map((one) => one.outcome)).toMatchObject([outcome])
		expect(await later.readStatus(callId)).toBe('failed')
	})

	test('a signed callback about progress leaves the call open', async () => {
		const callId = await later.start()
		expect((await later.signed(callId, { status: 'progress', progress: 0.5 })).status).toBe(202)
		await studio.world.deliver()
		expect([await later.readStatus(callId), taken]).toEqual(['waiting', []])
	})
})

describe('a provider that cannot sign', () => {
	const spokenWords = [{ word: 'hi', punctuated_word: 'Hi.', start: 0, end: 1 }]
	const heard = { results: { channels: [{ alternatives: [{ transcript: 'Hi.', words: spokenWords }] }] } }
	const capabilityIn = (url: string) => new URL(url).searchParams.get('cap') ?? ''

	test('a callback of a provider that cannot sign is accepted once under its capability', async () => {
		const callId = await later.start('deepgram')
		const callback = new URL(studio.sent[0]?.url ?? '').searchParams.get('callback') ?? ''
		expect(callback).toMatch(new RegExp(`^https://edge.test/v1/ai/whisper-callback\\?call=${callId}&cap=`))
		expect((await later.withCapability(callId, capabilityIn(callback), heard)).status).toBe(202)
		expect((await later.withCapability(callId, capabilityIn(callback), heard)).status).toBe(200)
		await studio.world.deliver()
		expect(taken).toMatchObject([
			{ outcome: { state: 'completed', result: { segments: [{ text: 'Hi.' }] } } },
		])
	})

	test('a hint of a provider makes us fetch the result with our key, whatever its body says', async () => {
		const callId = await later.start('assemblyai')
		const cap = await makeCapability(secrets, callId, 'assemblyai', studio.world.now)
		studio.sent.length = 0
		const words = [{ text: 'Real.', start: 100, end: 900 }]
		studio.reply(() => Response.json({ status: 'completed', text: 'Real.', words, audio_duration: 60 }))
		await later.withCapability(callId, cap, { transcript_id: 'evil', status: 'completed', text: 'Forged' })
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
	])('a callback with a capability %s is refused', async (_, cap) => {
		const callId = await later.start('deepgram')
		expect((await later.withCapability(callId, await cap(callId), heard)).status).toBe(401)
		expect(studio.world.messages).toEqual([])
	})
})
