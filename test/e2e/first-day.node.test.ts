import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { getMe, sendCode, signup, verifyCode, verifySignupCode } from '#schema/contract/accounts/identity.ts'
import {
	acceptInvitation,
	inviteMember,
	listMembers,
	removeMember,
} from '#schema/contract/accounts/org-members.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { healthReady } from '#schema/contract/operations/health.ts'
import { readMail } from '../edge/platform/mail/read-mail.node.ts'
import { catchMails } from '../edge/platform/mail/smtp-catcher.node.ts'
import { type RunningWorker, startWorker } from '../support/shared/miniflare-worker.ts'

let server: Awaited<ReturnType<typeof catchMails>>
let worker: RunningWorker
beforeAll(async () => {
	server = await catchMails()
	worker = await startWorker({ vars: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } })
})
afterAll(async () => {
	await worker?.dispose()
	await server?.[Symbol.asyncDispose]()
})

/** The text of the last mail to an address, ignoring the first `after` mails. */
async function mailTo(email: string, after = 0): Promise<string> {
	const find = () => server.caught.slice(after).findLast((mail) => mail.to.includes(email))
	await expect.poll(find, { timeout: 60_000, interval: 100 }).toBeDefined()
	const mail = find()
	return readMail(mail?.raw ?? '').parts.get('text/plain') ?? ''
}

test('supports a team’s first day: signup, codes and invitations by mail, API keys, removing a member', async () => {
	const client = createClient({ baseUrl: worker.url, fetch })
	expect(await client.call(healthReady, {})).toEqual({ ok: true })

	const ada = await client.call(signup, {
		body: { email: 'ada@example.org', password: 'correct horse', name: 'Ada' },
	})
	const asAda = { token: ada.data.token }
	expect(ada.data.user.isSuperadmin).toBe(true)

	// Verifying the email address and signing in with a code, through the real queue and a real mail server.
	const codeIn = (text: string) => /^ {4}(\d{6})$/m.exec(text)?.[1] ?? ''
	await client.call(verifyEmail, { body: { code: codeIn(await mailTo('ada@example.org')) } }, asAda)
	const sentBeforeCode = server.caught.length
	await client.call(sendCode, { body: { email: 'ada@example.org' } })
	const code = codeIn(await mailTo('ada@example.org', sentBeforeCode))
	const again = await client.call(verifyCode, { body: { email: 'ada@example.org', code } })
	expect(again.data.user.id).toBe(ada.data.user.id)

	// Bob is invited, signs up with a code and opens the link.
	const params = { orgId: ada.data.org.id }
	await client.call(inviteMember, { params, body: { email: 'bob@example.org', role: 'admin' } }, asAda)
	const link = /https?:\S+\/join#token=([\w-]+)/.exec(await mailTo('bob@example.org'))
	const sentBefore = server.caught.length
	await client.call(sendCode, { body: { email: 'bob@example.org' } })
	const bobsCode = codeIn(await mailTo('bob@example.org', sentBefore))
	const bob = await client.call(verifySignupCode, {
		body: { email: 'bob@example.org', code: bobsCode, name: 'Bob' },
	})
	const asBob = { token: bob.data.token }
	expect(bob.data.user.isSuperadmin).toBe(false)
	await client.call(acceptInvitation, { body: { token: link?.[1] ?? '' } }, asBob)
	const members = await client.call(listMembers, { params, query: {} }, asBob)
	expect(members.data.map((member) => [member.name, member.role])).toEqual([
		['Ada', 'owner'],
		['Bob', 'admin'],
	])

	// An API key works until the member who created it is removed.
	const { data: created } = await client.call(createApiKey, { params, body: { name: 'a program' } }, asBob)
	expect((await client.call(getOrg, { params }, { token: created.key })).data.id).toBe(params.orgId)
	await client.call(removeMember, { params: { ...params, userId: String(bob.data.user.id) } }, asAda)
	await expect(client.call(getOrg, { params }, asBob)).rejects.toMatchObject({ status: 404 })
	await expect(client.call(getOrg, { params }, { token: created.key })).rejects.toMatchObject({ status: 401 })
	expect((await client.call(getMe, {}, asBob)).data.memberships).toHaveLength(1)
})
