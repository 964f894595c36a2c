import { beforeEach, expect, test } from 'vitest'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import { getPublicCommunity } from '#schema/contract/watch/settings/public-community.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from '../community.ts'

let world: World
let root: Person
let seeded: Community
let school: Community
beforeEach(async () => {
	world = await openWorld({ COMMUNITY_BASE_DOMAIN: 'communities.example' })
	root = await world.person()
	seeded = await openCommunity(world)
	school = await openCommunity(world, 'school')
})

const ask = (headers: Record<string, string> = {}) => world.ask(getPublicCommunity, {}, { headers })

test('anybody gets what a sign-in page needs of the community that the request names, and nothing else', async () => {
	const { ok } = await ask(seeded.headers)
	expect(ok).toEqual({
		id: seeded.id,
		name: 'The club',
		slug: 'club',
		branding: { primary_color: expect.stringMatching(/^#/), theme: expect.any(String), logo_url: null },
		joining: ['invitation', 'invitation_link', 'organization'],
		sign_in: [
			{ kind: 'password', url: 'https://edge.test/v1/auth/login' },
			{ kind: 'code', url: 'https://edge.test/v1/auth/otp/send' },
			{ kind: 'passkey', url: 'https://edge.test/v1/auth/passkeys/sign-in-options' },
		],
	})
	expect((await ask({ 'x-community-slug': 'school' })).ok.id).toBe(school.id)
	const response = await world.fetch(
		new Request('https://school.communities.example/api/headless/v1/community'),
	)
	expect(await response.json()).toMatchObject({ id: school.id })
})

test('a sign-in page gets an error without a community, and for an unknown or suspended one', async () => {
	expect((await ask()).status).toBe(400)
	expect((await ask({ 'x-community-id': '999' })).status).toBe(404)
	expect((await ask({ ...seeded.headers, 'x-community-slug': 'school' })).status).toBe(403)
	await world.ask(suspendOrg, { params: { orgId: seeded.orgId }, body: { reason: 'abuse' } }, root)
	expect(await ask(seeded.headers)).toMatchObject({ status: 403, code: 'org_suspended' })
	await select(world, `update communities set org_id = null where id = ${school.id} returning 1`)
	expect((await ask(school.headers)).ok).toMatchObject({ branding: null, joining: ['invitation'] })
})

test('the public community lists only configured sign-in methods', async () => {
	await insert(world, 'community_identity_providers', {
		...{ community_id: school.id, label: 'School login', issuer: 'https://id.example.org', client_id: 'c' },
		...{ client_secret: 's', joining: 'anyone', created_at: 1, updated_at: 1 },
	})
	const kinds = async (headers: Record<string, string>) =>
		(await ask(headers)).ok.sign_in.map(({ kind }) => kind)
	expect(await kinds(school.headers)).toEqual(['password', 'code', 'passkey', 'oidc'])
	expect(await kinds(seeded.headers)).toEqual(['password', 'code', 'passkey'])
	world.set({ ENVIRONMENT: 'production', PUBLIC_URL: 'https://edge.test', MAIL_FROM: '', SMTP_URL: '' })
	expect(await kinds(school.headers)).toEqual(['password', 'passkey', 'oidc'])
	world.set({ AUTH_SECRET: '', ENVIRONMENT: 'development' })
	expect(await kinds(school.headers)).toEqual([])
})
