/** @module-tag d1 */
import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { login, sendCode } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { logout } from '#schema/contract/accounts/sessions.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { impersonate } from '#schema/contract/operations/admin/impersonation.ts'
import { createBackupDownload, runBackup } from '#schema/contract/operations/installation/backups.ts'
import { createAsset, createPlaybackToken } from '#schema/contract/video/assets.ts'
import { registerMachine } from '#schema/contract/video/fleet.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { imageUrlSigner } from '../../../edge/community/images/image-urls.ts'
import { cancellationTokenIn, codeSentTo, invitationTokenIn } from '../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { aMachine } from '../../support/shared/machine.ts'
import { METRICS_TOKEN } from '../../support/shared/variables.ts'
import { requestTicket, setUpApp } from '../accounts/identity/second-factor/authenticator-app.ts'
import { memberTokens, openCommunity } from '../community/community.ts'
import { stateAt } from '../watch/analytics/states.ts'
import { makeReady } from '../watch/playback/ready-asset.ts'

/** The kinds of credentials that each kind of authentication accepts, whatever they may do afterwards. */
const accepted: Record<Auth, readonly string[]> = {
	public: [],
	viewer: [],
	session: ['session', 'impersonation'],
	'unverified-session': ['session', 'impersonation'],
	renewal: ['session'],
	superadmin: ['session', 'impersonation'],
	'org-admin-person': ['session', 'impersonation'],
	read: ['session', 'impersonation', 'API key'],
	write: ['session', 'impersonation', 'API key'],
	admin: ['session', 'impersonation', 'API key'],
	upload: ['upload token'],
	registration: ['registration token'],
	machine: ['machine token'],
	metrics: ['metrics token'],
	member: ['session', 'member token'],
	'headless-auth': ['API key'],
}

let world: World
let ada: Person
const credentials: Record<string, string> = {}

beforeAll(async () => {
	world = await openWorld({ METRICS_TOKEN })
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
		impersonation: await impersonationToken(),
		'API key': key.ok.data.key,
		'registration token': fleetToken(),
		'machine token': await joinFleet(),
		'metrics token': METRICS_TOKEN,
		'upload token': upload.ok.data.token,
		'playback token': playback.ok.data.token,
		'playback session token': await playbackSessionToken(),
		'image token': await imageTokenOf(),
		'member token': (await memberTokens(world, key.ok.data.key, await joinOnlyCommunity())).access_token,
		'device token': await deviceToken(),
		'second-factor ticket': await secondFactorTicket(),
		'one-time code': codeSentTo(world, ada.email),
		'invitation token': await invitationTokenIn(world),
		'cancellation token': await cancellationTokenIn(world, ada),
		'backup download token': await backupDownloadTokenOf(),
		'session id': 'ses_00000000000000000000000000',
	})
})

/** Ada, who signed up first, is the superadmin. */
async function impersonationToken(): Promise<string> {
	const { userId, orgId } = await world.person()
	const body = { userId, orgId, reason: 'A matrix of credentials', write: true }
	return (await world.ask(impersonate, { body }, { token: await world.logIn(ada) })).ok.data.token
}
async function secondFactorTicket(): Promise<string> {
	const person = await world.person()
	await setUpApp(world, person)
	return requestTicket(world, person)
}
async function backupDownloadTokenOf(): Promise<string> {
	const params = { backupId: (await world.ask(runBackup, {}, ada)).ok.data.id }
	await world.deliver(world.messages.filter(({ type }) => type === 'backup.continue'))
	const { downloadUrl } = (await world.ask(createBackupDownload, { params }, ada)).ok.data
	return new URL(downloadUrl).searchParams.get('token') ?? ''
}
async function imageTokenOf(): Promise<string> {
	const request = new Request('https://edge.test')
	const url = await world.deps((deps) => imageUrlSigner(deps, request, 1)(1, false))
	return new URL(url).searchParams.get('token') ?? ''
}
const deviceToken = async () => (await world.ask(login, { body: ada })).headers.get('x-device-token') ?? ''
async function playbackSessionToken(): Promise<string> {
	const { playbackId } = await makeReady(world, ada)
	const event = { kind: 'heartbeat', playbackId, sessionId: 'session-a', state: stateAt(3) }
	return (await world.ask(sendPlayerEvents, { body: { events: [event] } })).ok.data.sessions[0]?.token ?? ''
}
const fleetToken = () => String(world.bindings.FLEET_TOKEN)
const joinFleet = async () =>
	(await world.ask(registerMachine, { body: aMachine() }, { token: fleetToken() })).ok.data.token

/** Joins the only community, which every request then selects, as an owner, who can't leave and end the token. */
async function joinOnlyCommunity(): Promise<number> {
	const community = await openCommunity(world)
	await world.deps(({ db }) =>
		db.all(`update communities set org_id = '${ada.orgId}' where id = ${community.id} returning id`),
	)
	return (await community.join(ada, { role: 'owner' })).memberId
}

/** Uses ids of a community and a user that don't exist, because later requests need the only community and the session. */
const urlOf = (op: Operation) =>
	`https://edge.test${op.path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'orgId' ? ada.orgId : ['communityId', 'userId'].includes(name) ? '999' : '1'))}`
const send = (op: Operation, headers: Record<string, string>) =>
	world.fetch(
		new Request(urlOf(op), {
			method: op.method.toUpperCase(),
			headers: { 'content-type': 'application/json', ...headers },
			...(!['get', 'head'].includes(op.method) && { body: '"not what is wanted"' }),
		}),
	)

const guarded = allOperations.filter((op) => !['public', 'viewer'].includes(op.auth))

describe.each(guarded.map((op) => [op.id, op] as const))('%s', (_, op) => {
	test('answers 401 without a credential', async () => {
		expect((await send(op, {})).status).toBe(401)
		expect((await send(op, { authorization: 'Basic YTpi' })).status).toBe(401)
		expect((await send(op, { authorization: 'Bearer ' })).status).toBe(401)
	})

	test('answers 401 to every kind of credential that it does not accept', async () => {
		for (const kind of Object.keys(credentials)) {
			const token = credentials[kind] ?? ''
			const asBearer = await send(op, { authorization: `Bearer ${token}` })
			const asKey = await send(op, { 'x-api-key': token })
			if (accepted[op.auth].includes(kind)) {
				expect(asBearer.status, kind).not.toBe(401)
				// The operation may have revoked its credential, and the next one needs a valid one.
				if (['logout', 'revokeOtherSessions'].includes(op.id)) {
					credentials.session = await world.logIn(ada)
					credentials.impersonation = await impersonationToken()
				}
				if (op.id === 'leaveMachine') credentials[kind] = await joinFleet()
			} else {
				expect(asBearer.status, kind).toBe(401)
			}
			if (!(kind === 'API key' && accepted[op.auth].includes(kind)))
				expect(asKey.status, `${kind} as a key`).toBe(401)
		}
	})
})
