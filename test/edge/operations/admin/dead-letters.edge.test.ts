import { beforeEach, describe, expect, test } from 'vitest'
import type { Message } from '#schema/contract/messages.ts'
import * as admin from '#schema/contract/operations/admin/dead-letters.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let root: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	world.messages.length = 0
})

const advance: Message = { type: 'job.advance', jobId: 'job_1' }
const code: Message = {
	...{ type: 'code.send', id: 'otp_1', email: 'ada@example.org', code: '123456', expiresAt: 9 },
	type: 'code.send',
}
const fail = (message: Message) => world.deliver([message], 'playhouse-background-dead')
const list = async () => (await world.ask(admin.listDeadLetters, { query: {} }, root)).ok.data
const retry = (deadLetterId: string) => world.ask(admin.retryDeadLetter, { params: { deadLetterId } }, root)

describe('dead letters', () => {
	test('dead letters are listed newest first, without secrets, for superadmins alone', async () => {
		await fail(advance)
		world.pass(1)
		await fail(code)
		const answer = await world.ask(admin.listDeadLetters, { query: {} }, root)
		expect(answer.ok.data).toMatchObject([
			{ type: 'code.send', body: { type: 'code.send', id: 'otp_1' }, retryable: false },
			{ type: 'job.advance', body: advance, retryable: true, state: 'kept' },
		])
		for (const secret of ['ada@example.org', '123456']) expect(answer.text).not.toContain(secret)
		const other = await world.person()
		expect((await world.ask(admin.listDeadLetters, { query: {} }, other)).status).toBe(403)
	})

	test('a dead letter is retried once, even by two concurrent requests', async () => {
		await fail(advance)
		const [letter] = await list()
		const id = letter?.id ?? ''
		const both = await Promise.all([retry(id), retry(id)])
		expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
		expect(world.messages).toEqual([advance])
		expect(await list()).toMatchObject([{ id, state: 'retried', retryable: false }])
		world.pass(60 * 60_000)
		world.messages.length = 0
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([])
	})

	test('the sweep sends a dead letter whose retry was requested but not sent', async () => {
		await fail(advance)
		await world.deps((d) => d.db.all(`update dead_letters set retry_at = ${world.now} returning 1`))
		world.pass(6 * 60_000)
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([advance])
		await world.cron('*/10 * * * *')
		expect(world.messages).toEqual([advance])
	})

	test('a dead letter that lost its content can be discarded, but not retried', async () => {
		await fail(code)
		const [letter] = await list()
		const deadLetterId = letter?.id ?? ''
		expect((await retry(deadLetterId)).status).toBe(409)
		const discard = () => world.ask(admin.discardDeadLetter, { params: { deadLetterId } }, root)
		expect((await discard()).status).toBe(200)
		expect((await discard()).status).toBe(404)
		expect(await list()).toEqual([])
	})
})
