import { beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '#schema/contract/index.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { login, logout, sendCode } from '#schema/contract/platform/identity.ts'
import { createApiKey, inviteMember } from '#schema/contract/platform/orgs.ts'
import { createAsset, createPlaybackToken } from '#schema/contract/video/assets.ts'
import { registerMachine } from '#schema/contract/video/fleet.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { cancellationTokenIn, codeSentTo, invitationTokenIn } from '../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { aMachine } from '../../support/shared/machine.ts'
import { memberTokens, openCommunity } from '../community/community.ts'

/** Which kinds of credential open a door at all; what they may do behind it is another matter. */
const opens: Record<Auth, readonly string[]> = {
	public: [],
	viewer: [],
	session: ['session'],
	'unverified-session': ['session'],
	renewal: ['session'],
	superadmin: ['session'],
	'org-admin-person': ['session'],
	read: ['session', 'API key'],
	write: ['session', 'API key'],
	admin: ['session', 'API key'],
	upload: ['upload token'],
	registration: ['registration token'],
	machine: ['machine token'],
	member: ['session', 'member token'],
	'headless-auth': ['API key'],
}

let world: World
let ada: Person
const credentials: Record<string, string> = {}

beforeAll(async () => {
	world = await openWorld()
	ada = await world.person()
	const params = { orgId: ada.orgId }
	const key = await world.ask(
		createApiKey,
		{ params, body: { name: 'k', scopes: ['admin', 'headless:auth'] } },
		ada,
	)
	const asset = await world.ask(createAsset, { body: { title: 'Film' } }, ada)
	const ofAsset = { assetId: asset.ok.data.id }
	const upload = await world.ask(createUploadToken, { params: ofAsset, body: { fileSize: 1 } }, ada)
	const playback = await world.ask(createPlaybackToken, { params: ofAsset }, ada)
	await world.ask(sendCode, { body: { email: ada.email } })
	await world.ask(inviteMember, { params, body: { email: 'new@example.org' } }, ada)
	const ended = await world.logIn(ada)
	await world.ask(logout, {}, { token: ended })
	Object.assign(credentials, {
		session: ada.token,
		'ended session': ended,
		'API key': key.ok.data.key,
		'registration token': fleetToken(),
		'machine token': await joinFleet(),
		'upload token': upload.ok.data.token,
		'playback token': playback.ok.data.token,
		'member token': (await memberTokens(world, key.ok.data.key, await joinOnlyCommunity())).access_token,
		'device token': await deviceToken(),
		'one-time code': codeSentTo(world, ada.email),
		'invitation token': await invitationTokenIn(world),
		'cancellation token': await cancellationTokenIn(world, ada),
		'session id': 'ses_00000000000000000000000000',
	})
})

const deviceToken = async () => (await world.ask(login, { body: ada })).headers.get('x-device-token') ?? ''
const fleetToken = () => String(world.bindings.FLEET_TOKEN)
const joinFleet = async () =>
	(await world.ask(registerMachine, { body: aMachine() }, { token: fleetToken() })).ok.data.token

/** The only one there is, so that every request is about it; as an owner, who cannot leave and end the token. */
async function joinOnlyCommunity(): Promise<number> {
	const community = await openCommunity(world)
	await world.deps(({ db }) =>
		db.all(`update communities set org_id = '${ada.orgId}' where id = ${community.id} returning id`),
	)
	return (await community.join(ada, { role: 'owner' })).memberId
}

/** Of communities one that is not there: deleting the only one would take the other doors along. */
const urlOf = (op: Operation) =>
	`https://edge.test${op.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'orgId' ? ada.orgId : name === 'communityId' ? '999' : '1'))}`
const knock = (op: Operation, headers: Record<string, string>) =>
	world.fetch(
		new Request(urlOf(op), {
			method: op.method.toUpperCase(),
			headers: { 'content-type': 'application/json', ...headers },
			...(!['get', 'head'].includes(op.method) && { body: '"not what is wanted"' }),
		}),
	)

const guarded = allOperations.filter((op) => !['public', 'viewer'].includes(op.auth))

describe.each(guarded.map((op) => [op.id, op] as const))('the door of %s', (_, op) => {
	test('is shut without a credential', async () => {
		expect((await knock(op, {})).status).toBe(401)
		expect((await knock(op, { authorization: 'Basic YTpi' })).status).toBe(401)
		expect((await knock(op, { authorization: 'Bearer ' })).status).toBe(401)
	})

	test('is 401 for every kind of token but its own', async () => {
		for (const [kind, token] of Object.entries(credentials)) {
			const asBearer = await knock(op, { authorization: `Bearer ${token}` })
			const asKey = await knock(op, { 'x-api-key': token })
			if (opens[op.auth].includes(kind)) {
				expect(asBearer.status, kind).not.toBe(401)
				// What got in may have ended what it got in with: the next door wants a living one.
				if (op.id === 'logout') credentials.session = await world.logIn(ada)
				if (op.id === 'leaveMachine') credentials[kind] = await joinFleet()
			} else {
				expect(asBearer.status, kind).toBe(401)
			}
			if (!(kind === 'API key' && opens[op.auth].includes(kind)))
				expect(asKey.status, `${kind} as a key`).toBe(401)
		}
	})
})
