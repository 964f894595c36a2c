import { expect } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { changePassword, getMe, login } from '#schema/contract/accounts/identity.ts'
import { acceptInvitation, inviteMember, removeMember } from '#schema/contract/accounts/org-members.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import { expediteDeletion } from '#schema/contract/operations/account-deletion.ts'
import { createAsset, listAssets } from '#schema/contract/video/assets.ts'
import { invitationTokenIn } from '../../../../support/edge/mailbox.ts'
import type { Person } from '../../../../support/edge/world.ts'
import type { RestoredWorld } from './restored-world.ts'

const keyOf = async (world: RestoredWorld, who: Person) =>
	(
		await world.ask(
			createApiKey,
			{ params: { orgId: who.orgId }, body: { name: 'program', scopes: ['read'] } },
			who,
		)
	).ok.data

export async function join(world: RestoredWorld, owner: Person, who: Person): Promise<void> {
	const { orgId } = owner
	await world.ask(inviteMember, { params: { orgId }, body: { email: who.email, role: 'admin' } }, owner)
	await world.ask(acceptInvitation, { body: { token: await invitationTokenIn(world) } }, who)
}

/** Makes changes after a backup that must survive a restore. */
export async function openLostHour(world: RestoredWorld) {
	const root = await world.person()
	const ada = await world.person()
	const bob = await world.person()
	await join(world, root, bob)
	const kept = await keyOf(world, root)
	const revoked = await keyOf(world, root)
	await world.settle()
	await world.minute()
	const restore = await world.backUp()
	await world.minute()

	// What follows is newer than the last checkpoint: the minute that would copy it never comes.
	const { orgId } = root
	await world.ask(deleteApiKey, { params: { orgId, keyId: revoked.id } }, root)
	await world.ask(removeMember, { params: { orgId, userId: String(bob.userId) } }, root)
	await world.ask(logout, {}, bob)
	await world.ask(createAsset, { body: { title: 'Lost' } }, root)
	await world.ask(expediteDeletion, { body: { userId: ada.userId } }, root)
	const passwords = { currentPassword: root.password, newPassword: 'another long passphrase' }
	expect((await world.ask(changePassword, { body: passwords }, root)).status).toBe(200)
	const lost = await world.person()
	await world.settle()
	const sequences = `select max(sequence) as sequence from outbox where org_id = '${orgId}'`
	const [newest] = await world.rows<{ sequence: number }>(sequences)

	return {
		root,
		bob,
		ada,
		keys: { kept, revoked },
		restore,
		/** Asks as everyone who had access at the backup. Returns the distinct statuses. */
		async statuses(): Promise<number[]> {
			const found = new Set<number>()
			for (const who of [{ key: kept.key }, { key: revoked.key }, root, bob, ada])
				found.add((await world.ask(listAssets, { query: {} }, who)).status)
			const { email, password } = ada
			found.add((await world.ask(login, { body: { email, password } })).status)
			return [...found]
		},
		async expectRepaired(): Promise<void> {
			expect((await world.ask(listAssets, { query: {} }, { key: kept.key })).status).toBe(200)
			expect((await world.ask(listAssets, { query: {} }, { key: revoked.key })).status).toBe(401)
			for (const who of [root, bob, ada]) expect((await world.ask(getMe, {}, who)).status).toBe(401)
			expect(await world.rows(`select id from users where id = ${ada.userId}`)).toEqual([])
			expect(await world.rows(`select role from org_members where org_id = '${orgId}'`)).toEqual([
				{ role: 'owner' },
			])
			// The invitation that bob accepted would let him in again.
			expect(await world.rows('select id from org_invitations where accepted_at is null')).toEqual([])
			// The former password may be known to others.
			const { email, password } = root
			expect((await world.ask(login, { body: { email, password } })).status).toBe(401)
			await world.logIn(bob)
			// Ids and sequences were given to others, or are the cursors of programs.
			expect((await world.person()).userId).toBeGreaterThan(lost.userId)
			const [next] = await world.rows<{ sequence: number }>(sequences)
			expect(next?.sequence).toBeGreaterThan(newest?.sequence ?? 0)
		},
	}
}
