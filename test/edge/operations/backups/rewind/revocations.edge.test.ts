import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { cancelAccountDeletion, expediteDeletion } from '#schema/contract/operations/account-deletion.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { crons } from '../../../../../edge/http/feature.ts'
import type { Revocation } from '../../../../../edge/operations/backups/rewind/revocations.ts'
import type { RepeatedHere } from '../../../../../edge/operations/backups/rewind/steps/revocation-store.ts'
import { cancellationTokenIn } from '../../../../support/edge/mailbox.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { createEndpoint } from '../../../accounts/webhooks/receiver.ts'
import { insert, openCommunity } from '../../../community/community.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openRestoredWorld, type RestoredWorld } from './restored-world.ts'

/** What a revocation names, and a query that shows what it takes away. */
type Case = { revocation: Partial<Revocation>; query: string; before: unknown; after: unknown }

let world: RestoredWorld
let root: Person
beforeEach(async () => {
	world = await openRestoredWorld()
	root = await world.person()
})

/** Puts revocations into the vault as if they were made after the backup. */
async function revoke(name: string, named: readonly (Partial<Revocation> & Pick<Revocation, 'what'>)[]) {
	const none = { orgId: null, targetId: null, userId: null, details: {} }
	const revocations = named.map((each, i) => ({ ...none, id: `aud_lost${name}${i}`, ...each }))
	await env.VAULT.put(`rewind/revocations/000000000009-${name}.json`, JSON.stringify(revocations))
}

async function repair(restore: () => Promise<void>): Promise<void> {
	await restore()
	world.restart()
	await world.minute()
	await world.cron(crons.eachTenMinutes)
	await world.settle()
}

/** Makes what each kind of revocation takes away. */
async function openCases(): Promise<Record<RepeatedHere, Case>> {
	const { orgId } = root
	const created_at = world.now
	const person = async () => {
		const { userId, orgId: ownOrgId } = await world.person()
		return { userId, orgId: ownOrgId, ofUser: `where id = ${userId}` }
	}
	const apiKey = async (id: string) => {
		const unused = { name: 'Key', prefix: 'ph', last_four: 'abcd', scopes: '[]' }
		await insert(world, 'api_keys', { id, org_id: orgId, key_hash: id, created_at, ...unused })
		return id
	}
	const invitation = async (table: string, more: Record<string, string | number>) => {
		const name = crypto.randomUUID()
		const email = `${name}@example.org`
		const unused = { role: 'admin', nonce: '', expires_at: created_at }
		return insert(world, table, { email, token_hash: name, created_at, ...unused, ...more })
	}
	const member = (userId: number) =>
		insert(world, 'org_members', { org_id: orgId, user_id: userId, role: 'admin', created_at })
	const endpoint = async () => (await createEndpoint(world, root)).id
	const webhook = (id: string, details: Revocation['details'] = {}): Case => ({
		revocation: { orgId, targetId: id, details },
		query: `select status as v from webhook_endpoints where id = '${id}'`,
		before: 'enabled',
		after: 'disabled',
	})
	const community = await openCommunity(world)
	const membership = async (after: string, details: Revocation['details'] = {}): Promise<Case> => {
		const { memberId } = await community.join(await world.person(), { role: 'admin' })
		await insert(world, 'calendar_feeds', {
			membership_id: memberId,
			token_hash: String(memberId),
			created_at,
		})
		const feeds = `(select count(*) from calendar_feeds where membership_id = ${memberId})`
		return {
			revocation: { targetId: String(memberId), details },
			query: `select role || ' ' || status || ' ' || ${feeds} as v from memberships where id = ${memberId}`,
			before: 'admin active 1',
			after,
		}
	}
	const groupWithout = async (what: 'member' | 'space' | 'all'): Promise<Case> => {
		const { memberId, userId } = await community.member()
		const spaceId = await community.space()
		const groupId = await community.grant([memberId], [spaceId])
		const count = (table: string) => `(select count(*) from ${table} where access_group_id = ${groupId})`
		const details = what === 'space' ? { spaceId } : {}
		return {
			revocation: { targetId: String(groupId), userId: what === 'member' ? userId : null, details },
			query: `select ${count('access_group_members')} || ' ' || ${count('access_group_spaces')} as v`,
			before: '1 1',
			after: { member: '0 1', space: '1 0', all: '0 0' }[what],
		}
	}

	const [removed, changed, demoted, locked, openOrg] = [
		await person(),
		await person(),
		await person(),
		await person(),
		await person(),
	]
	const [passworded, readdressed, recovered] = [await person(), await person(), await person()]
	await member(removed.userId)
	await member(changed.userId)
	await apiKey('key_deleted')
	await apiKey('key_ended')
	await invitation('org_invitations', { id: 'inv_revoked', org_id: orgId })
	const communityInvitation = await invitation('community_invitations', { community_id: community.id })
	const identityProvider = await insert(world, 'community_identity_providers', {
		...{ community_id: community.id, label: 'L', issuer: 'https://id.example.org', client_id: 'c' },
		...{ client_secret: 's', joining: 'anyone', created_at, updated_at: created_at },
	})
	const openProvider = await insert(world, 'community_identity_providers', {
		...{ community_id: community.id, label: 'O', issuer: 'https://id.example.org', client_id: 'c' },
		...{ client_secret: 's', joining: 'anyone', created_at, updated_at: created_at },
	})
	const link = await insert(world, 'invitation_links', {
		...{ community_id: community.id, name: 'L', role: 'member', access_group_ids: '[]' },
		...{ token_hash: 'h', made_by_user_id: root.userId, created_at },
	})
	const { id: assetId } = (await world.ask(createAsset, { body: { title: 'Film' } }, root)).ok.data
	await world.rows(`update users set is_superadmin = 1 ${demoted.ofUser} returning 1`)
	const machine = await openMachine(world, { info: aFilm(12) })
	await insert(world, 'recovery_codes', { user_id: recovered.userId, code_hash: 'code', created_at })
	await insert(world, 'account_deletion_requests', {
		...{ id: 'del_1', user_id: root.userId, status: 'confirmed', delete_content: 0 },
		...{ requested_at: 0, scheduled_for: 0, due_at: world.now + 1e12 },
	})
	const rolesAndKeys = `select group_concat(v, ' ') as v from (select role as v from org_members where user_id = ${changed.userId} union all select id from api_keys where id = 'key_ended')`

	return {
		'api_key.deleted': {
			revocation: { orgId, targetId: 'key_deleted' },
			query: "select count(*) as v from api_keys where id = 'key_deleted'",
			before: 1,
			after: 0,
		},
		'member.removed': {
			revocation: { orgId, userId: removed.userId },
			query: `select count(*) as v from org_members where user_id = ${removed.userId} and org_id = '${orgId}'`,
			before: 1,
			after: 0,
		},
		'member.role_changed': {
			revocation: { orgId, userId: changed.userId, details: { role: 'member', endedApiKeys: ['key_ended'] } },
			query: rolesAndKeys.replace('user_id =', `org_id = '${orgId}' and user_id =`),
			before: 'admin key_ended',
			after: 'member',
		},
		'member.invitation_revoked': {
			revocation: { orgId, targetId: 'inv_revoked' },
			query: "select count(*) as v from org_invitations where id = 'inv_revoked'",
			before: 1,
			after: 0,
		},
		'webhook.deleted': webhook(await endpoint()),
		'webhook.updated': webhook(await endpoint(), { changed: ['url'] }),
		'webhook.secret_rotated': webhook(await endpoint()),
		'playback_tokens.revoked': {
			revocation: { orgId, targetId: assetId },
			query: `select playback_token_version >= 1000 as v from assets where id = '${assetId}'`,
			before: 0,
			after: 1,
		},
		'community_member.left': await membership('member inactive 0'),
		'community_member.removed': await membership('member inactive 0'),
		'community_member.banned': await membership('member banned 0'),
		'community_member.updated': await membership('moderator active 1', { role: 'moderator' }),
		'community_member.invitation_revoked': {
			revocation: { targetId: String(communityInvitation) },
			query: `select count(*) as v from community_invitations where id = ${communityInvitation}`,
			before: 1,
			after: 0,
		},
		'invitation_link.revoked': {
			revocation: { targetId: String(link) },
			query: `select count(*) as v from invitation_links where id = ${link}`,
			before: 1,
			after: 0,
		},
		'identity_provider.updated': {
			revocation: { targetId: String(openProvider), details: { joining: 'members' } },
			query: `select joining as v from community_identity_providers where id = ${openProvider}`,
			before: 'anyone',
			after: 'members',
		},
		'identity_provider.deleted': {
			revocation: { targetId: String(identityProvider) },
			query: `select count(*) as v from community_identity_providers where id = ${identityProvider}`,
			before: 1,
			after: 0,
		},
		'access_group.deleted': await groupWithout('all'),
		'access_group.member_removed': await groupWithout('member'),
		'access_group.space_removed': await groupWithout('space'),
		'superadmin.revoked': {
			revocation: { userId: demoted.userId },
			query: `select is_superadmin as v from users ${demoted.ofUser}`,
			before: 1,
			after: 0,
		},
		'user.locked': {
			revocation: { userId: locked.userId },
			query: `select locked_at is not null as v from users ${locked.ofUser}`,
			before: 0,
			after: 1,
		},
		'support_access.changed': {
			revocation: { orgId: openOrg.orgId, details: { allowed: false } },
			query: `select support_access as v from orgs where id = '${openOrg.orgId}'`,
			before: 1,
			after: 0,
		},
		'machine.evicted': {
			revocation: { targetId: machine.id },
			query: `select evicted_at is not null as v from machines where id = '${machine.id}'`,
			before: 0,
			after: 1,
		},
		'account.password_changed': {
			revocation: { userId: passworded.userId },
			query: `select password_hash is null as v from users ${passworded.ofUser}`,
			before: 0,
			after: 1,
		},
		// The former address gets the codes, and may be somebody else's.
		'account.email_changed': {
			revocation: { userId: readdressed.userId },
			query: `select (password_hash is null) + (locked_at is not null) as v from users ${readdressed.ofUser}`,
			before: 0,
			after: 2,
		},
		'account.second_factor_changed': {
			revocation: { userId: recovered.userId, details: { change: 'recovery_codes_replaced' } },
			query: `select count(*) as v from recovery_codes where user_id = ${recovered.userId}`,
			before: 1,
			after: 0,
		},
		'account.deletion_cancelled': {
			revocation: { targetId: 'del_1' },
			query: "select status as v from account_deletion_requests where id = 'del_1'",
			before: 'confirmed',
			after: 'cancelled',
		},
	}
}

test('a repair repeats each kind of revocation, even many of them', async () => {
	const cases = await openCases()
	const kinds = Object.keys(cases) as RepeatedHere[]
	const states = async () => {
		const found = []
		for (const kind of kinds) found.push([kind, (await world.rows<{ v: unknown }>(cases[kind].query))[0]?.v])
		return found
	}
	const restore = await world.backUp()
	await world.minute()
	expect(await states()).toEqual(kinds.map((kind) => [kind, cases[kind].before]))
	// More than one part of the step repeats, and about an organization that the backup lacks.
	const ofLostOrg = { what: 'member.removed' as const, orgId: 'org_lost', userId: 9_999 }
	await revoke('test', [
		...Array.from({ length: 60 }, () => ofLostOrg),
		...kinds.map((what) => ({ what, ...cases[what].revocation })),
	])
	await repair(restore)
	expect(await states()).toEqual(kinds.map((kind) => [kind, cases[kind].after]))
})

test('a repair never grants a role, in whatever order changes were copied', async () => {
	const { orgId } = root
	const community = await openCommunity(world)
	const [ada, bob] = [await world.person(), await world.person()]
	for (const { userId } of [ada, bob])
		await insert(world, 'org_members', { org_id: orgId, user_id: userId, role: 'admin', created_at: 0 })
	const [ann, ben] = [
		await community.member({ role: 'moderator' }),
		await community.member({ role: 'moderator' }),
	]
	const restore = await world.backUp()
	await world.minute()
	const inOrg = ({ userId }: Person, role: string) =>
		({ what: 'member.role_changed', orgId, userId, details: { role } }) as const
	const inCommunity = ({ memberId }: typeof ann, role: string) =>
		({ what: 'community_member.updated', targetId: String(memberId), details: { role } }) as const
	// The copies of two requests lie in any order: the later change comes first here.
	await revoke('a', [inOrg(ada, 'member'), inCommunity(ann, 'member')])
	await revoke('b', [inOrg(ada, 'owner'), inCommunity(ann, 'owner')])
	await revoke('c', [inOrg(bob, 'owner'), inCommunity(ben, 'admin')])
	await repair(restore)

	const ids = [ada, bob].map(({ userId }) => userId).join()
	expect(
		await world.rows(
			`select role from org_members where org_id = '${orgId}' and user_id in (${ids}) order by user_id`,
		),
	).toEqual([{ role: 'member' }, { role: 'admin' }])
	expect(
		await world.rows(
			`select role from memberships where id in (${ann.memberId}, ${ben.memberId}) order by id`,
		),
	).toEqual([{ role: 'member' }, { role: 'moderator' }])
})

test('a deletion requested after the backup is pending again, and its link cancels it', async () => {
	const [ada, bob] = [await world.person(), await world.person()]
	const restore = await world.backUp()
	await world.minute()
	const token = await cancellationTokenIn(world, ada)
	const cancelled = await cancellationTokenIn(world, bob)
	await world.ask(cancelAccountDeletion, { body: { token: cancelled } }, bob)
	const requests = () =>
		world.rows(
			'select user_id, status, delete_content, requested_at, scheduled_for, due_at from account_deletion_requests order by user_id',
		)
	const before = await requests()
	expect(before).toMatchObject([{ status: 'confirmed' }, { status: 'cancelled' }])
	await repair(restore)

	expect(await requests()).toEqual(before)
	ada.token = await world.logIn(ada)
	expect((await world.ask(cancelAccountDeletion, { body: { token } }, ada)).status).toBe(200)
})

test('a deletion executed after the backup is repeated without a second farewell mail', async () => {
	const ada = await world.person()
	const restore = await world.backUp()
	await world.minute()
	await cancellationTokenIn(world, ada)
	await world.minute()
	await world.ask(expediteDeletion, { body: { userId: ada.userId } }, root)
	await world.settle()
	expect(await world.rows(`select id from users where id = ${ada.userId}`)).toEqual([])
	await world.minute()
	await restore()
	world.restart()
	await world.minute()
	expect(await world.rows(`select id from users where id = ${ada.userId}`)).toEqual([])
	expect(world.messages.filter(({ type }) => type === 'deletion.farewell')).toEqual([])
})

test('a repair does not delete a person who got the id of a deleted one later', async () => {
	const ada = await world.person()
	const restore = await world.backUp()
	await world.minute()
	const request = { userId: ada.userId, deleteContent: 0, requestedAt: 1, scheduledFor: 2 }
	const deletion = { ...request, tokenNonce: null, cancellationTokenHash: null }
	await revoke('early', [{ what: 'account.deletion_requested', targetId: 'del_1', details: { deletion } }])
	await repair(restore)
	expect(await world.rows('select id from account_deletion_requests')).toEqual([])
	expect(await world.rows(`select id from users where id = ${ada.userId}`)).toEqual([{ id: ada.userId }])
})
