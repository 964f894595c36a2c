/** @module-tag d1 */
import { expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { memberTokens, openCommunity } from '../community/community.ts'

/** What an error may name, and the kinds of operations that accept it. */
const credentials: [RegExp, readonly Auth[]][] = [
	[
		/\bsign in\b/,
		['session', 'unverified-session', 'superadmin', 'org-admin-person', 'read', 'write', 'admin', 'member'],
	],
	[/\ban API key\b/, ['read', 'write', 'admin', 'headless-auth']],
	[/\bmember token\b/, ['member']],
	[/\bupload-token\b/, ['upload']],
	[/\bregister this machine\b/, ['machine']],
	[/\bFLEET_TOKEN\b/, ['registration']],
	[/\bMETRICS_TOKEN\b/, ['metrics']],
]

const acceptedBy = (text: string): readonly Auth[] =>
	credentials.find(([pattern]) => pattern.test(text))?.[1] ?? []

/** HEAD has no body. */
const checked = allOperations.filter(
	({ auth, method }) => !['public', 'viewer', 'renewal'].includes(auth) && method !== 'head',
)

async function messageOf(world: World, op: Operation, headers: Record<string, string>) {
	const path = op.path.replaceAll(/\{\w+\}/g, '1')
	const method = op.method.toUpperCase()
	const response = await world.fetch(
		new Request(`https://edge.test${path}`, { method, headers: { 'x-community-id': '1', ...headers } }),
	)
	if (response.status !== 401) return `status ${response.status}`
	const body = (await response.json()) as { error?: string; detail?: string }
	return body.error ?? body.detail ?? ''
}

test('a 401 response names a credential that its operation accepts, and no other', async () => {
	const world = await openWorld({ FLEET_TOKEN: 'f'.repeat(40), METRICS_TOKEN: 'm'.repeat(40) })
	const community = await openCommunity(world)
	const { owner } = community
	const params = { orgId: owner.orgId }
	const { key } = (await world.ask(createApiKey, { params, body: { name: 'k' } }, owner)).ok.data
	const member = await memberTokens(world, await community.key(), owner.memberId)
	const callers: { name: string; headers: Record<string, string>; accepted?: readonly Auth[] }[] = [
		{ name: 'nothing', headers: {} },
		{ name: 'an API key', headers: { 'x-api-key': key }, accepted: acceptedBy('an API key') },
		{ name: 'an unknown API key', headers: { 'x-api-key': `phk_${'x'.repeat(40)}` } },
		{
			name: 'a member token',
			headers: { authorization: `Bearer ${member.access_token}` },
			accepted: ['member'],
		},
		{ name: 'no token', headers: { authorization: 'Bearer nonsense' } },
		{
			name: 'a session',
			headers: { authorization: `Bearer ${owner.token}` },
			accepted: acceptedBy('sign in'),
		},
	]
	const wrong: string[] = []
	for (const op of checked)
		for (const { name, headers, accepted } of callers) {
			if (accepted?.includes(op.auth)) continue
			const message = await messageOf(world, op, headers)
			const named = credentials.filter(([pattern]) => pattern.test(message))
			const isRight = named.length > 0 && named.every(([, auths]) => auths.includes(op.auth))
			if (!isRight) wrong.push(`${op.id} (${op.auth}) with ${name}: ${message}`)
		}
	expect(wrong).toEqual([])
})
