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

describe('concurrent ends of a call', () => {
	const supersede = () =>
		studio.world.deps((deps) => supersedeCalls(deps, studio.ada.orgId, { subject: 'chunk-1', epoch: 3 }))

	test('two processes pass the outcome of a call on once, after a double message or two deliveries', async () => {
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

	test('a call passes its outcome on once if the callback comes while its request breaks off', async () => {
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

	test('a call ends either superseded or completed, and passes nothing on when superseded', async () => {
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

	test('another process takes a call over if the first one fails or dies', async () => {
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

describe('accepted work after changed settings', () => {
	const used = async () => (await studio.world.ask(getAiSettings, {}, studio.ada)).ok.data.usedThisMonth
	const check = async () => {
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
	}

	test('accepted work is settled at its reserved price after a change of the provider', async () => {
		const callId = await later.start('assemblyai')
		await studio.save({ transcription: { provider: 'deepgram', apiKey: KEY, pricePerMinuteMicros: 1 } })
		await check()
		expect([await later.readStatus(callId), taken.length]).toEqual(['failed', 1])
		expect(await used()).toEqual({ audioSec: 60, costMicros: 6_000, tokens: 0 })
	})

	test.each([401, 404])(
		'accepted work is settled at its reserved price if a new key gets %i',
		async (status) => {
			const callId = await later.start('assemblyai')
			await studio.save({ transcription: { apiKey: `${KEY}2` } })
			studio.reply(() => new Response('no', { status }))
			await check()
			expect([await later.readStatus(callId), await used()]).toEqual([
				'failed',
				{ audioSec: 60, costMicros: 6_000, tokens: 0 },
			])
		},
	)

	test('accepted work costs nothing if the provider itself reports a failure', async () => {
		await later.start('assemblyai')
		studio.reply(() => Response.json({ status: 'error', error: 'no speech' }))
		await check()
		expect(await used()).toEqual({ audioSec: 0, costMicros: 0, tokens: 0 })
	})
})

describe('a provider without callbacks', () => {
	test('a provider that never calls back is polled after twice the expected time, and again later', async () => {
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

	test('overdue calls are found by the index of open calls, however many have ended', async () => {
		await later.start('deepgram')
		studio.world.pass(2 * MINUTE)
		const before = studio.world.statements.length
		await studio.world.cron('* * * * *')
		const claims = studio.world.statements
			.slice(before)
			.filter((sql) => sql.startsWith('update "ai_calls" set "check_at"'))
		expect(claims).toHaveLength(1)
		const plan = await studio.world.plan(String(claims[0]))
		expect(plan.join('\n')).toMatch(/SEARCH ai_calls USING (?:COVERING )?INDEX ai_calls_open/)
	})

	test('a call is given up if the provider neither calls back nor can be polled, and the work is retried', async () => {
		const callId = await later.start('deepgram')
		studio.world.pass(2 * MINUTE)
		await studio.world.cron('* * * * *')
		expect(taken).toMatchObject([{ outcome: { state: 'retry', reason: 'the provider never answered' } }])
		expect(await later.readStatus(callId)).toBe('failed')
	})

	test('a callback whose message was lost is handled from the stored body', async () => {
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
