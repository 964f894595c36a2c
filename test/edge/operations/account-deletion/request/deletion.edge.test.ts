import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { resetCalendarFeed } from '#schema/contract/community/member/calendar.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { DAY, toIso } from '../../../../../edge/platform/clock.ts'
import { invitationTokenIn } from '../../../../support/edge/mailbox.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { memberTokens, openCommunity } from '../../../community/community.ts'
import { type DeletionWorld, openDeletionWorld } from '../deletion-world.ts'

let world: DeletionWorld
let ada: Person
beforeEach(async () => {
	world = await openDeletionWorld({ FRONTEND_URL: 'https://play.example.org' })
	ada = await world.person({ email: 'ada@example.org', name: 'Ada Lovelace' })
})

const raw = (path: string, who: { token?: string }, init: RequestInit = {}) =>
	world.fetch(
		new Request(`https://edge.test/api/users/account/${path}`, {
			method: 'POST',
			...init,
			headers: {
				...(who.token && { authorization: `Bearer ${who.token}` }),
				'content-type': 'application/json',
				...init.headers,
			},
		}),
	)

const logsOf = (id: string) =>
	world.rows<{ action: string; details: string }>(
		`select action, details from account_deletion_logs where deletion_request_id = '${id}' order by id`,
	)

describe('a deletion request', () => {
	test('a deletion request is due in 30 days and never returns its token', async () => {
		const { ok, status } = await world.request(ada)
		expect(status).toBe(201)
		expect(ok).toEqual({
			id: expect.stringMatching(/^del_/),
			status: 'confirmed',
			requested_at: toIso(world.now),
			scheduled_for: toIso(world.now + 30 * DAY),
			confirmed_at: toIso(world.now),
			cancelled_at: null,
			completed_at: null,
			days_remaining: 30,
			user_email: 'ada@example.org',
		})
		expect(await logsOf(ok.id)).toEqual([{ action: 'requested', details: '{"ip_address":"203.0.113.7"}' }])
	})

	test('a deletion request accepts the address in any letter case and with spaces around it', async () => {
		expect((await world.request(ada, { confirm_email: ' Ada@Example.ORG ' })).status).toBe(201)
	})

	test.each([
		['missing', {}],
		['null', { confirm_email: null }],
		['a number', { confirm_email: 5 }],
		['a list', { confirm_email: ['ada@example.org'] }],
		['empty', { confirm_email: '' }],
		['no address', { confirm_email: 'ada' }],
		['too long', { confirm_email: `${'a'.repeat(250)}@example.org` }],
		['of someone else', { confirm_email: 'bob@example.org' }],
		['with a letter more', { confirm_email: 'ada@example.orgs' }],
	])('a deletion request is rejected with 400 and the field if confirm_email is %s', async (_, body) => {
		const response = await raw('request-deletion/', ada, { body: JSON.stringify(body) })
		expect(response.status).toBe(400)
		expect(await response.json()).toEqual({ confirm_email: [expect.any(String)] })
		expect((await world.status(ada)).ok).toEqual({ has_pending_deletion: false })
	})

	test('a deletion request is rejected with 400 and the field if the body is missing', {
		tags: 'd1',
	}, async () => {
		const response = await raw('request-deletion/', ada)
		expect([response.status, await response.json()]).toEqual([
			400,
			{ confirm_email: ['This field is required.'] },
		])
	})

	test.each([
		['no JSON', '{', {}, 400],
		['a list', '[]', {}, 400],
		['a form', 'confirm_email=ada', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
	])(
		'a deletion request rejects %s in the error format of its wire family',
		async (_, body, headers, status) => {
			const response = await raw('request-deletion/', ada, { body, headers })
			expect(response.status).toBe(status)
			const answer = (await response.json()) as object
			expect(Object.keys(answer)).toEqual([body === '[]' ? 'non_field_errors' : 'detail'])
		},
	)

	test('a second open deletion request is rejected with 400, and possible again after a cancellation', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		const second = await world.request(ada)
		expect([second.status, JSON.parse(second.text)]).toEqual([400, { detail: expect.any(String) }])
		await world.cancel(ada, await world.readMailedToken(ada))
		expect((await world.request(ada)).status).toBe(201)
	})

	test('a deletion request checks the address before it checks for an open request', async () => {
		await world.request(ada)
		const second = await world.request(ada, { confirm_email: 'x@example.org' })
		expect(JSON.parse(second.text)).toEqual({ confirm_email: [expect.any(String)] })
	})

	test('twenty concurrent deletion requests are accepted once', async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, () => world.request(ada)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(400)])
		expect(await world.rows('select id from account_deletion_requests')).toHaveLength(1)
		expect(await world.rows('select id from account_deletion_logs')).toHaveLength(1)
	})

	test('a deletion request returns the same response for a repeated Idempotency-Key', async () => {
		const ask = () =>
			world.ask(
				requestAccountDeletion,
				{ body: { confirm_email: ada.email } },
				{ ...ada, headers: { 'idempotency-key': 'once' } },
			)
		const first = await ask()
		expect((await ask()).text).toBe(first.text)
	})

	test('a deletion request sends a mail with days, date and link in text and HTML', async () => {
		await world.request(ada)
		await world.settle()
		const [mail] = world.mailsTo(ada.email)
		expect(world.mailsTo(ada.email)).toHaveLength(1)
		expect(mail?.subject).toBe('Your Playhouse account will be deleted in 30 days')
		expect(mail?.text).toMatch(/https:\/\/play\.example\.org\/cancel-deletion\?token=[\w-]{43}\n/)
		expect(mail?.text).toContain('21 December 2037')
		expect(mail?.html).toMatch(/href="https:\/\/play\.example\.org\/cancel-deletion\?token=[\w-]{43}"/)
	})

	test('a deletion request answers 501 if no link can be made, because nobody could cancel it', async () => {
		world.set({ ENVIRONMENT: 'production', FRONTEND_URL: '' })
		const answer = await world.request(ada)
		expect([answer.status, JSON.parse(answer.text)]).toEqual([501, { detail: expect.any(String) }])
		expect(await world.rows('select id from account_deletion_requests')).toEqual([])
	})

	test('a deletion request sends no mail if notices are turned off, but still reminders', {
		tags: 'd1',
	}, async () => {
		world.set({ ACCOUNT_DELETION_NOTICES: 'false' })
		await world.request(ada)
		await world.settle()
		expect(world.sent).toEqual([])
		world.pass(23 * DAY - 5 * 3_600_000)
		await world.cron('0 8 * * *')
		await world.settle()
		expect(world.mailsTo(ada.email)).toHaveLength(1)
	})
})

describe('the deletion status', () => {
	test('the deletion status has exactly one field without an open request', { tags: 'd1' }, async () => {
		expect((await world.status(ada)).text).toBe('{"has_pending_deletion":false}')
	})

	test('the deletion status shows the request with the remaining days, but not its token', {
		tags: 'd1',
	}, async () => {
		const { ok } = await world.request(ada)
		const token = await world.readMailedToken(ada)
		const { text, ok: status } = await world.status(ada)
		expect(status).toEqual({ has_pending_deletion: true, ...ok, days_remaining: 29 })
		expect(text).not.toContain(token)
		world.pass(40 * DAY)
		const fresh = await world.logIn(ada)
		expect((await world.status({ token: fresh })).ok).toMatchObject({ days_remaining: 0 })
	})

	test('the deletion status counts a pending request as open', { tags: 'd1' }, async () => {
		const { ok } = await world.request(ada)
		await world.rows(
			`update account_deletion_requests set status = 'pending' where id = '${ok.id}' returning 1`,
		)
		expect((await world.status(ada)).ok).toMatchObject({ has_pending_deletion: true, days_remaining: 0 })
		expect((await world.request(ada)).status).toBe(400)
	})
})

describe('a cancellation', () => {
	test('the cancellation of a deletion keeps the account, writes one log entry and sends one mail', async () => {
		const { ok } = await world.request(ada)
		const answer = await world.cancel(ada, await world.readMailedToken(ada))
		expect([answer.status, answer.ok]).toEqual([200, { detail: expect.any(String) }])
		expect((await world.status(ada)).ok).toEqual({ has_pending_deletion: false })
		expect((await logsOf(ok.id)).at(-1)).toEqual({
			action: 'cancelled',
			details: '{"ip_address":"203.0.113.8"}',
		})
		await world.settle()
		expect(world.mailsTo(ada.email).map(({ subject }) => subject)).toEqual([
			'Your Playhouse account will be deleted in 30 days',
			'Your Playhouse account stays',
		])
		await world.execute()
		expect(await world.rows('select id from users')).toHaveLength(1)
	})

	test('the cancellation of a deletion succeeds once', async () => {
		await world.request(ada)
		const token = await world.readMailedToken(ada)
		const answers = await Promise.all(Array.from({ length: 10 }, () => world.cancel(ada, token)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)])
		const again = await world.cancel(ada, token)
		expect([again.status, JSON.parse(again.text)]).toEqual([404, { detail: expect.any(String) }])
		await world.settle()
		expect(world.mailsTo(ada.email).filter(({ subject }) => subject.includes('stays'))).toHaveLength(1)
	})

	test.each([
		['missing', undefined],
		['null', null],
		['a number', 7],
		['empty', ''],
		['65 characters', 'x'.repeat(65)],
	])(
		'the cancellation of a deletion is rejected with 400 and the field if the token is %s',
		async (_, token) => {
			const answer = await world.cancel(ada, token)
			expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { token: [expect.any(String)] }])
		},
	)

	test('the cancellation of a deletion answers 404 for 64 characters that are not a token', async () => {
		const answer = await world.cancel(ada, 'x'.repeat(64))
		expect([answer.status, JSON.parse(answer.text)]).toEqual([404, { detail: expect.any(String) }])
	})

	test('the cancellation of a deletion answers 403 for another user’s token and keeps that user’s request', {
		tags: 'd1',
	}, async () => {
		await world.request(ada)
		const token = await world.readMailedToken(ada)
		const bob = await world.person()
		await world.request(bob)
		const answer = await world.cancel(bob, token)
		expect([answer.status, JSON.parse(answer.text)]).toEqual([403, { detail: expect.any(String) }])
		expect((await world.status(ada)).ok.has_pending_deletion).toBe(true)
		expect((await world.status(bob)).ok.has_pending_deletion).toBe(true)
	})

	test.each(['pending', 'cancelled', 'completed'])(
		'the cancellation of a deletion answers 404 for a request that is %s',
		async (state) => {
			const { ok } = await world.request(ada)
			const token = await world.readMailedToken(ada)
			await world.rows(
				`update account_deletion_requests set status = '${state}' where id = '${ok.id}' returning 1`,
			)
			expect((await world.cancel(ada, token)).status).toBe(404)
		},
	)

	test('the cancellation of a deletion answers 404 for other tokens, and 400 for too long ones', async () => {
		const { ok } = await world.request(ada)
		await world.settle()
		const params = { orgId: ada.orgId }
		await world.ask(inviteMember, { params, body: { email: 'new@example.org' } }, ada)
		const [row] = await world.rows<{ nonce: string; hash: string }>(
			'select token_nonce as nonce, cancellation_token_hash as hash from account_deletion_requests',
		)
		const fixture = await openCommunity(world)
		const member = await fixture.join(ada)
		const tokens = await memberTokens(world, await fixture.key(), member.memberId)
		const feed = (await world.ask(resetCalendarFeed, {}, member)).ok.url
		const calendar = /([\w-]{20,})\.ics/.exec(feed)?.[1] as string
		const { key } = (await world.ask(createApiKey, { params, body: { name: 'k' } }, ada)).ok.data
		const invitation = await invitationTokenIn(world)
		for (const token of [ok.id, row?.hash, invitation, tokens.refresh_token, calendar, key])
			expect([token, (await world.cancel(ada, token)).status]).toEqual([token, 404])
		expect((await world.cancel(ada, '0'.repeat(43))).status).toBe(404)
		for (const token of [row?.nonce, ada.token, tokens.access_token])
			expect((await world.cancel(ada, token)).status).toBe(400)
		expect((await world.status(ada)).ok.has_pending_deletion).toBe(true)
	})
})

describe('the deletion endpoints', () => {
	test('the deletion endpoints accept user sessions alone', { tags: 'd1' }, async () => {
		const key = await world.ask(
			createApiKey,
			{ params: { orgId: ada.orgId }, body: { name: 'k', scopes: ['admin', 'headless:auth'] } },
			ada,
		)
		const fixture = await openCommunity(world)
		const { memberId } = await fixture.join(ada)
		const { access_token } = await memberTokens(world, await fixture.key(), memberId)
		for (const who of [{}, { token: key.ok.data.key }, { token: access_token }, { token: 'nonsense' }])
			for (const path of ['request-deletion/', 'cancel-deletion/']) {
				const response = await raw(path, who, { body: '{}' })
				expect(response.status).toBe(401)
				expect(await response.json()).toEqual({ detail: expect.any(String) })
			}
	})

	test.each(['request-deletion', 'cancel-deletion', 'deletion-status', 'export'])(
		'the deletion endpoint %s accepts a trailing slash or none, and lists its allowed methods',
		async (path) => {
			for (const ending of ['/', '']) {
				const response = await raw(path + ending, ada, { method: 'DELETE' })
				expect(response.status).toBe(405)
				expect(await response.json()).toEqual({ detail: expect.any(String) })
				expect(response.headers.get('allow')).toMatch(/^(POST|GET, HEAD), OPTIONS$/)
			}
		},
	)

	test('the deletion endpoints give the same response without a trailing slash', async () => {
		const body = JSON.stringify({ confirm_email: ada.email })
		expect((await raw('request-deletion', ada, { body })).status).toBe(201)
		const token = await world.readMailedToken(ada)
		expect((await raw('cancel-deletion', ada, { body: JSON.stringify({ token }) })).status).toBe(200)
	})
})
