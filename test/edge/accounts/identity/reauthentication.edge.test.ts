/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import {
	changePassword,
	reauthenticate,
	sendCode,
	verifySignupCode,
} from '#schema/contract/accounts/identity.ts'
import { refreshToken } from '#schema/contract/accounts/sessions.ts'
import { allOperations } from '#schema/contract/index.ts'
import { exportAccount, requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { codeSentTo } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const MINUTE = 60_000
type Who = { email: string; token: string }
const prove = (who: Who, body: { password: string } | { code: string }) =>
	world.ask(reauthenticate, { body }, who)
const requestDeletion = (who: Who) =>
	world.ask(requestAccountDeletion, { body: { confirm_email: who.email } }, who)
const exportOf = (who: Who) => world.ask(exportAccount, {}, who)
async function newCode(email: string): Promise<string> {
	await world.ask(sendCode, { body: { email } })
	return codeSentTo(world, email)
}

describe('recent proofs', () => {
	beforeEach(() => world.pass(10 * MINUTE))

	test('an old session gets 403 from operations that need a recent proof, even after a renewal', async () => {
		const renewed = (await world.ask(refreshToken, {}, ada)).ok.data
		for (const token of [ada.token, renewed.token])
			for (const refused of [await requestDeletion({ ...ada, token }), await exportOf({ ...ada, token })])
				expect([refused.status, refused.code]).toEqual([403, 'reauthentication_required'])
	})

	test('a session may call operations that need a recent proof for 10 minutes after the password', async () => {
		const proved = await prove(ada, { password: ada.password })
		expect(proved.ok.data.provedUntil).toBe(new Date(world.now + 10 * MINUTE).toISOString())
		expect((await exportOf(ada)).status).toBe(200)
		expect((await requestDeletion(ada)).status).toBe(201)
		world.pass(10 * MINUTE)
		expect((await exportOf(ada)).status).toBe(403)
	})

	test('a session may call operations that need a recent proof after a one-time code, which works once', async () => {
		const code = await newCode(ada.email)
		expect((await prove(ada, { code })).status).toBe(200)
		expect((await exportOf(ada)).status).toBe(200)
		expect((await prove(ada, { code })).status).toBe(403)
	})

	test('a session gets no proof with a wrong password, another user’s code, both or neither', async () => {
		const bob = await world.person()
		const code = await newCode(bob.email)
		expect((await prove(ada, { password: 'wrong' })).status).toBe(403)
		expect((await prove(ada, { code })).status).toBe(403)
		expect((await prove(ada, { code, password: ada.password } as never)).status).toBe(400)
		expect((await prove(ada, {} as never)).status).toBe(400)
		expect((await exportOf(ada)).status).toBe(403)
	})

	test('a proof by password is throttled after ten wrong passwords, even with the right one', async () => {
		for (let i = 0; i < 10; i++) expect((await prove(ada, { password: `guess ${i}` })).status).toBe(403)
		expect((await prove(ada, { password: ada.password })).status).toBe(429)
	})

	test('a recent proof of one session does not count for another session of the same user', async () => {
		const other = await world.logIn(ada)
		world.pass(10 * MINUTE)
		await prove(ada, { password: ada.password })
		expect((await exportOf({ ...ada, token: other })).status).toBe(403)
	})
})

test('a session whose last code is older than 10 minutes cannot set a first password', async () => {
	const email = 'bob@example.org'
	const body = { email, code: await newCode(email), name: 'Bob' }
	const bob = { email, ...(await world.ask(verifySignupCode, { body })).ok.data }
	world.pass(10 * MINUTE)
	const set = () => world.ask(changePassword, { body: { newPassword: 'now I have one' } }, bob)
	const refused = await set()
	expect([refused.status, refused.code]).toEqual([403, 'reauthentication_required'])
	expect((await prove(bob, { code: await newCode(email) })).status).toBe(200)
	expect((await set()).status).toBe(200)
})

test('operations that need a recent proof accept sessions alone', () => {
	const operations = allOperations.filter((op) => op.recentProof)
	expect(operations.map(({ id }) => id).toSorted()).toEqual([
		'beginTotp',
		'confirmTotp',
		'createBackupDownload',
		'createPasskey',
		'createPasskeyOptions',
		'deleteBackup',
		'deletePasskey',
		'demoteUser',
		'endUserSessions',
		'expediteDeletion',
		'exportAccount',
		'impersonate',
		'lockUser',
		'mergeManagedMembership',
		'promoteUser',
		'removeTotp',
		'replaceRecoveryCodes',
		'requestAccountDeletion',
		'resetSecondFactor',
		'revokeOtherSessions',
		'revokeSession',
		'suspendOrg',
		'unlockUser',
		'unsuspendOrg',
		'updateOrgTier',
		'updateSecuritySettings',
	])
	for (const op of operations) expect(['session', 'superadmin', 'org-admin-person'], op.id).toContain(op.auth)
})
