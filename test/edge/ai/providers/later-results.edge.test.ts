import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getAiSettings } from '#schema/contract/ai/settings.ts'
import { supersedeCalls, transcribeWithProvider } from '../../../../edge/ai/providers/calls/transcribe.ts'
import { MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { KEY, type LaterCalls, openLaterCalls, text } from './later-calls.ts'

let later: LaterCalls
let studio: LaterCalls['studio']
let taken: LaterCalls['taken']
beforeEach(async () => {
	later = await openLaterCalls()
	studio = later.studio
	taken = later.taken
})

describe('two processes that end one call at once', () => {
	const supersede = () =>
		studio.world.deps((deps) => supersedeCalls(deps, studio.ada.orgId, { subject: 'chunk-1', epoch: 3 }))

	test('hand its outcome over once, whether one message comes twice or two deliveries come', async () => {
		const callId = await later.start()
		await later.signed(callId, { ...text, callId })
		await later.signed(callId, { ...text, callId }, { id: 'msg-2' })
		const [first, second] = studio.world.messages.splice(0)
		if (!first || !second) throw new Error('no messages')
		later.whileTaking = async () => {
			later.whileTaking = async () => undefined
			await studio.world.deliver([first, second])
		}
		await studio.world.deliver([first])
		expect([taken.length, await later.readStatus(callId)]).toEqual([1, 'completed'])
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
			await later.signed(row.id, { ...text, callId: row.id })
			await studio.world.deliver()
			throw new TypeError('fetch failed')
		})
		const audio = { bytes: new Uint8Array(9), contentType: 'audio/flac', durationSec: 60 }
		const work = { subject: 'chunk-1', epoch: 2 }
		const outcome = await studio.world.deps((deps) =>
			transcribeWithProvider(deps, studio.ada.orgId, audio, { language: null, later: work }),
		)
		expect(outcome.state).toBe('waiting')
		expect(taken.map((each) => each.outcome.state)).toEqual(['completed'])
	})

	test('end it either superseded or completed, and hand nothing over that was superseded', async () => {
		const callId = await later.start()
		await later.signed(callId, { ...text, callId })
		later.whileTaking = supersede
		await studio.world.deliver()
		expect([taken.length, await later.readStatus(callId)]).toEqual([1, 'completed'])
		const other = await later.start()
		await later.signed(other, { ...text, callId: other })
		await supersede()
		await studio.world.deliver()
		expect([taken.length, await later.readStatus(other)]).toEqual([1, 'superseded'])
	})

	test('leave the call to the next one if the first fails, or dies', async () => {
		const callId = await later.start()
		await later.signed(callId, { ...text, callId })
		const messages = studio.world.messages.splice(0)
		later.whileTaking = async () => {
			throw new Error('database gone')
		}
		await studio.world.deliver(messages).catch(() => undefined)
		expect(await later.readStatus(callId)).toBe('waiting')
		later.whileTaking = async () => undefined
		studio.world.messages.length = 0
		await studio.world.deps(({ db }) =>
			db.all(`update ai_calls set taken_until = ${studio.world.now + MINUTE}, check_at = null returning 1`),
		)
		await studio.world.deliver(messages)
		expect([taken.length, await later.readStatus(callId)]).toEqual([1, 'waiting'])
		studio.world.pass(5 * MINUTE + SECOND)
		await studio.world.cron('* * * * *')
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type === 'ai.callback'))
		expect([taken.length, await later.readStatus(callId)]).toEqual([2, 'completed'])
	})
})

describe('work that the provider had accepted when the settings changed', () => {
	const used = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth
	const check = async () => {
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
	}

	test('is settled at its reserved price with another provider', async () => {
		const callId = await later.start('assemblyai')
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, pricePerMinuteMicros: 1 } })
		await check()
		expect([await later.readStatus(callId), taken.length]).toEqual(['failed', 1])
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000, tokens: 0 })
	})

	test.each([401, 404])('is settled at its reserved price if a new key gets %i', async (status) => {
		const callId = await later.start('assemblyai')
		await studio.save({ transcription: { apiKey: `${KEY}2` } })
		studio.reply(() => new Response('no', { status }))
		await check()
		expect([await later.readStatus(callId), await used()]).toEqual([
			'failed',
			{ audioSec: 60, costMicros: 6_000, tokens: 0 },
		])
	})

	test('costs nothing if the provider itself reports a failure', async () => {
		await later.start('assemblyai')
		studio.reply(() => Response.json({ status: 'error', error: 'no speech' }))
		await check()
		expect(await used()).toEqual({ audioSec: 0, costMicros: 0, tokens: 0 })
	})
})

describe('a provider that never calls', () => {
	test('is asked after twice the expected time, and again later while it works', async () => {
		const callId = await later.start('assemblyai')
		studio.sent.length = 0
		await studio.world.cron('* * * * *')
		expect(studio.sent).toEqual([])
		studio.world.pass(2 * MINUTE)
		studio.reply(() => Response.json({ status: 'processing' }))
		await studio.world.cron('* * * * *')
		await studio.world.cron('* * * * *')
		expect([studio.sent.length, await later.readStatus(callId)]).toEqual([1, 'waiting'])
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
		const callId = await later.start('deepgram')
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
		expect(taken).toMatchObject([{ outcome: { state: 'retry', reason: 'the provider never answered' } }])
		expect(await later.readStatus(callId)).toBe('failed')
	})

	test('but whose message was lost is handled from the stored body', async () => {
		const callId = await later.start()
		await later.signed(callId, { ...text, callId })
		studio.world.messages.length = 0
		await studio.world.deps(({ db }) => db.all('update ai_calls set check_at = null returning 1'))
		studio.world.pass(5 * MINUTE + SECOND)
		await studio.world.cron('* * * * *')
		await studio.world.deliver(studio.world.messages.splice(0).filter(({ type }) => type === 'ai.callback'))
		expect([taken.length, await later.readStatus(callId)]).toEqual([1, 'completed'])
	})
})
