import { beforeEach, describe, expect, test } from 'vitest'
import { sendCode } from '#schema/contract/accounts/identity.ts'
import { showUnsubscribePage, unsubscribe } from '#schema/contract/accounts/mail.ts'
import { inviteMember, listInvitations } from '#schema/contract/accounts/org-members.ts'
import { inviteToCommunity } from '#schema/contract/community/manage/invitations.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../../community/community.ts'

type Sent = { to: string; subject: string; text: string; headers?: Record<string, string> }
const stranger = 'stranger@example.net'

let world: World
let sent: Sent[]
let fixture: Community
let ada: Person
beforeEach(async () => {
	sent = []
	const binding = { send: async (mail: Sent) => ({ messageId: String(sent.push(mail)) }) }
	world = await openWorld({ EMAIL: binding, PUBLIC_URL: 'https://edge.test' } as unknown as Record<
		string,
		string
	>)
	fixture = await openCommunity(world)
	ada = await world.person()
})

const invite = (email = stranger, who: Person = ada) =>
	world.ask(inviteMember, { params: { orgId: who.orgId }, body: { email } }, who)
const inviteToFixture = (email = stranger) =>
	world.ask(
		inviteToCommunity,
		{ params: { communityId: String(fixture.id) }, body: { email } },
		fixture.owner,
	)

/** Delivers messages until the queue is empty: events cause mails, and mails are sent. */
async function deliverAll() {
	while (world.messages.length > 0) await world.deliver()
}

/** Returns the token of the unsubscribe link in the newest mail. */
async function unsubscribeLink(): Promise<{ token: string }> {
	await deliverAll()
	const url = /https:\/\/edge\.test\/unsubscribe\?token=(\S+)/.exec(sent.at(-1)?.text ?? '')?.[1]
	return { token: decodeURIComponent(url ?? '') }
}

const post = (query: { token: string }, body = 'List-Unsubscribe=One-Click') =>
	world.ask(
		unsubscribe,
		{ query },
		{ bytes: body, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
	)

const received = async () => {
	await deliverAll()
	return sent.filter(({ to }) => to === stranger).length
}

describe('unsubscribed addresses', () => {
	test('an unsubscribed address gets codes but no invitations from anybody', { tags: 'd1' }, async () => {
		await invite()
		const link = await unsubscribeLink()
		expect((await post(link)).status).toBe(200)
		expect((await post(link)).status).toBe(200)
		expect([(await invite()).status, (await inviteToFixture()).status]).toEqual([201, 201])
		expect((await invite(stranger, await world.person())).status).toBe(201)
		expect(await received()).toBe(1)
		await world.ask(sendCode, { body: { email: stranger } })
		expect(await received()).toBe(2)
		await invite('other@example.net')
		await deliverAll()
		expect(sent.at(-1)?.to).toBe('other@example.net')
	})

	test('an invitation that was queued before its recipient unsubscribed is dropped', {
		tags: 'd1',
	}, async () => {
		await invite()
		const link = await unsubscribeLink()
		await inviteToFixture()
		await world.deliver(world.messages.splice(0).filter(({ type }) => type === 'event.happened'))
		expect(world.messages.map(({ type }) => type)).toEqual(['mail.send'])
		await post(link)
		expect(await received()).toBe(1)
	})

	test('invitations are sent again after the recipient allows them', async () => {
		await inviteToFixture()
		const link = await unsubscribeLink()
		await post(link)
		expect((await post(link, 'choice=allow')).status).toBe(200)
		await inviteToFixture()
		expect(await received()).toBe(2)
	})

	test('no unsubscribed address is stored in plain text', async () => {
		await invite()
		await post(await unsubscribeLink(), 'choice=report')
		const rows = JSON.stringify([
			await select(world, 'select * from mail_refusals'),
			await select(world, 'select * from mail_reports'),
		])
		expect(rows).toMatch(/address_hash":"[\w-]{43}"/)
		expect(rows).not.toContain('stranger')
	})
})

describe('unsubscribe links', () => {
	test('the unsubscribe link is in the headers for one-click unsubscribing', async () => {
		for (const act of [invite, inviteToFixture]) {
			await act()
			const { token } = await unsubscribeLink()
			expect(sent.at(-1)?.headers).toEqual({
				'List-Unsubscribe': `<https://edge.test/unsubscribe?token=${token}>`,
				'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
			})
		}
		await world.ask(sendCode, { body: { email: 'new@example.net' } })
		await deliverAll()
		expect(sent.at(-1)).toMatchObject({ to: 'new@example.net' })
		expect(sent.at(-1)?.headers).toBeUndefined()
	})

	test('opening the unsubscribe link changes nothing', { tags: 'd1' }, async () => {
		await invite()
		const link = await unsubscribeLink()
		for (const query of [link, { ...link, report: '1' as const }, {}]) {
			const shown = await world.ask(showUnsubscribePage, { query })
			expect([shown.status, shown.text.includes('<form method="post"')]).toEqual([200, true])
			expect(shown.headers.get('content-security-policy')).toContain("form-action 'self'")
		}
		expect(await select(world, 'select * from mail_refusals')).toEqual([])
	})

	test('a multipart form, a URL-encoded form or an empty body unsubscribes', { tags: 'd1' }, async () => {
		for (const [type, body] of [
			[
				'multipart/form-data; boundary=x',
				'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
			],
			['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
			['text/plain', undefined],
		] as const) {
			const email = `${type.length}@example.net`
			await invite(email)
			const { token: query } = await unsubscribeLink()
			const who = { headers: { 'content-type': type }, ...(body && { bytes: body }) }
			expect((await world.ask(unsubscribe, { query: { token: query } }, who)).status, type).toBe(200)
		}
		expect(await select(world, 'select * from mail_refusals')).toHaveLength(3)
	})

	test('an unsubscribe link forged for another address or organization is rejected', {
		tags: 'd1',
	}, async () => {
		await invite()
		const { token } = await unsubscribeLink()
		const [hash = '', , invitation = '', mac = ''] = token.split('.')
		for (const forged of [
			'',
			'...',
			token.slice(0, -1),
			[`${hash.slice(1)}A`, ada.orgId, invitation, mac].join('.'),
			[hash, fixture.orgId, invitation, mac].join('.'),
			[hash, ada.orgId, 'inv_00000000000000000000000000', mac].join('.'),
		])
			expect((await post({ token: forged })).status, forged).toBe(404)
		expect(await select(world, 'select * from mail_refusals')).toEqual([])
	})

	test('the unsubscribe link is kept out of dead letters', async () => {
		await invite()
		await world.deliver(world.messages.splice(0).filter(({ type }) => type === 'event.happened'))
		const mails = world.messages.splice(0) as MessageByType<'mail.send'>[]
		expect(mails[0]?.unsubscribeUrl).toContain('token=')
		await world.deliver(mails, 'playhouse-background-dead')
		expect(JSON.stringify(await select(world, 'select body from dead_letters'))).not.toContain('token=')
	})
})

describe('reported invitations', () => {
	test('reporting an invitation ends it and halves the organization’s limit for 30 days', {
		tags: 'd1',
	}, async () => {
		world.set({ INVITATIONS_PER_DAY: '2' })
		await invite()
		const link = await unsubscribeLink()
		expect((await post(link, 'choice=report')).status).toBe(200)
		// The same report counts once, even when it arrives twice.
		expect((await post(link, 'choice=report')).status).toBe(200)
		const list = await world.ask(listInvitations, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(list.ok.data).toEqual([])
		expect((await invite('a@example.net')).status).toBe(429)
		world.pass(DAY)
		ada.token = await world.logIn(ada)
		expect([(await invite('a@example.net')).status, (await invite('b@example.net')).status]).toEqual([
			201, 429,
		])
		world.pass(30 * DAY)
		ada.token = await world.logIn(ada)
		expect([(await invite('c@example.net')).status, (await invite('d@example.net')).status]).toEqual([
			201, 201,
		])
		await world.cron('17 3 * * *')
		expect(await select(world, 'select * from mail_reports')).toEqual([])
		expect(await select(world, 'select * from mail_refusals')).toHaveLength(1)
	})

	test('reporting a community invitation ends it and counts it against the organization', async () => {
		await inviteToFixture()
		await post(await unsubscribeLink(), 'choice=report')
		expect(await select(world, 'select * from community_invitations')).toEqual([])
		expect(await select(world, 'select org_id from mail_reports')).toEqual([{ org_id: fixture.orgId }])
	})
})
