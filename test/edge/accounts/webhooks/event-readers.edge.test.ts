import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import { readEvents } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { allOperations } from '#schema/contract/index.ts'
import { publicEvents, publicEventTypes } from '#schema/contract/public-events.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { insert } from '../../community/community.ts'

/** A payload with the fields of every type; others are left out when an event is read. */
const id = '0'.repeat(26)
const payload = {
	assetId: `ast_${id}`,
	uploadId: `dup_${id}`,
	playbackId: '0'.repeat(22),
	title: 'Film',
	durationSec: 1,
	rendition: { quality: '360p', width: 640, height: 360, bitrateKbps: 1, codec: 'h264' },
	renditions: [],
	errorMessage: 'broken',
	language: 'en',
	commentId: `cmt_${id}`,
	emoji: '👍',
	communityId: 1,
	memberId: 2,
	postId: 3,
	eventId: 4,
	status: 'going',
	flagId: 5,
	auditEntryId: `aud_${id}`,
	action: 'api_key.created',
	targetKind: 'api_key',
	targetId: `key_${id}`,
}
/** Comments of communities have numbers as ids. */
const payloadOf = (type: string) =>
	JSON.stringify({ ...payload, ...(/^(post_comment|flag)\./.test(type) && { commentId: 6 }) })

let world: World
let ada: Person
const readers: Record<string, { isAdmin: boolean; who: Who }> = {}
beforeAll(async () => {
	world = await openWorld()
	ada = await world.person()
	for (const [i, type] of publicEventTypes.entries())
		await insert(world, 'outbox', {
			id: `evt_${String(i).padStart(26, '0')}`,
			type,
			org_id: ada.orgId,
			sequence: i + 1,
			payload: payloadOf(type),
			created_at: world.now,
			due_at: world.now,
			done_at: world.now,
		})
	readers.owner = { isAdmin: true, who: ada }
	for (const role of ['admin', 'member'])
		readers[role] = { isAdmin: role === 'admin', who: { token: await tokenWithRole(role) } }
	for (const scopes of [['read'], ['write'], ['admin'], ['read', 'admin'], ['read', 'headless:auth']]) {
		const body = { name: 'x', scopes: scopes as ApiScope[] }
		const { key } = (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data
		readers[`key with ${scopes.join(' and ')}`] = { isAdmin: scopes.includes('admin'), who: { key } }
	}
})

async function tokenWithRole(role: string): Promise<string> {
	const person = await world.person()
	await world.deps(({ db }) =>
		db.all(`insert into org_members values ('${ada.orgId}', ${person.userId}, '${role}', 0) returning 1`),
	)
	return (await world.ask(switchOrg, { body: { orgId: ada.orgId } }, person)).ok.data.token
}

const names = [
	'owner',
	'admin',
	'member',
	'key with read',
	'key with write',
	'key with admin',
	'key with read and admin',
	'key with read and headless:auth',
]
const mayRead = (isAdmin: boolean) =>
	publicEventTypes.filter((t) => isAdmin || publicEvents[t].auth === 'read')

describe.each(names)('%s', (name) => {
	const reader = () => readers[name] as (typeof readers)[string]
	const read = async (query: Record<string, string>) => world.ask(readEvents, { query }, reader().who)

	test('a reader sees exactly the event types whose definitions admit it', async () => {
		const { data, next } = (await read({})).ok
		expect(data.map(({ type }) => type)).toEqual(mayRead(reader().isAdmin))
		expect(next).toBe(publicEventTypes.length)
	})

	test('a reader gets 403 for a forbidden event type, even beside an allowed one', async () => {
		for (const type of publicEventTypes) {
			const isAllowed = mayRead(reader().isAdmin).includes(type)
			expect([type, (await read({ types: type })).status]).toEqual([type, isAllowed ? 200 : 403])
			const both = await read({ types: `asset.created,${type}` })
			expect([type, both.status]).toEqual([type, isAllowed ? 200 : 403])
		}
	})

	test('a reader loses no event and reads none twice, page by page over the gaps', async () => {
		const seen: string[] = []
		for (let after = 0; ; ) {
			const { data, next } = (await read({ after: String(after), limit: '1' })).ok
			seen.push(...data.map(({ type }) => type))
			if (next === after) break
			expect(next).toBeGreaterThan(after)
			after = next
		}
		expect(seen).toEqual(mayRead(reader().isAdmin))
	})
})

test('every other operation on events, deliveries and endpoints is for administrators', () => {
	const others = allOperations.filter((op) => op.tag === 'Webhooks' || op.path.includes('webhook'))
	expect(others.length).toBeGreaterThan(15)
	const open = others.filter(({ auth }) => !['admin', 'org-admin-person', 'superadmin'].includes(auth))
	expect(open.map(({ id }) => id)).toEqual(['receiveBillingEvent'])
})

test('the audit log has the same readers as audit events', () => {
	const listAuditLog = allOperations.find(({ id }) => id === 'listAuditLog')
	expect(publicEvents['audit.recorded'].auth).toBe(listAuditLog?.auth)
})
