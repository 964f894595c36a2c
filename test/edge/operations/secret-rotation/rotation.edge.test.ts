import { env } from 'cloudflare:workers'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeEach, describe, expect, test } from 'vitest'
import { verifyEmail } from '#schema/contract/accounts/email-addresses.ts'
import { getMe, login, sendCode, verifyCode } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { refreshToken } from '#schema/contract/accounts/sessions.ts'
import { signInWithPasskey } from '#schema/contract/accounts/sign-in/passkeys.ts'
import { rotateWebhookSecret } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { createIdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { listMachines } from '#schema/contract/operations/diagnostics.ts'
import { runBackup } from '#schema/contract/operations/installation/backups.ts'
import { resealSecrets } from '#schema/contract/operations/secret-rotation.ts'
import { createAsset, createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset } from '#schema/contract/video/downloads.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { applyChoice, createUnsubscribeUrl, hasRefusedMail } from '../../../../edge/accounts/mail/refusals.ts'
import { invitationStore } from '../../../../edge/accounts/orgs/invitation-store.ts'
import { findOpenInvitation, invitationLinks } from '../../../../edge/accounts/orgs/invitations.ts'
import { endpointStore } from '../../../../edge/accounts/webhooks/endpoints/endpoint-store.ts'
import { openSigningKeys } from '../../../../edge/accounts/webhooks/endpoints/secret.ts'
import { openClientSecret } from '../../../../edge/community/identity-providers/secret.ts'
import { deriveCancellationToken } from '../../../../edge/operations/account-deletion/request/token.ts'
import { deletionStore } from '../../../../edge/operations/account-deletion/store.ts'
import { openManifest } from '../../../../edge/operations/backups/format/signed-manifest.ts'
import { resealBackups } from '../../../../edge/operations/backups/keep/reseal.ts'
import { manifestObjectKey } from '../../../../edge/operations/backups/keys.ts'
import { sha256 } from '../../../../edge/platform/tokens/digest.ts'
import { requireLinkToken } from '../../../../edge/platform/tokens/link-token.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { codeSentTo } from '../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { addPasskey, signChallenge } from '../../accounts/identity/passkeys/software-authenticator.ts'
import {
	completeWith,
	requestTicket,
	setUpApp,
} from '../../accounts/identity/second-factor/authenticator-app.ts'
import { createEndpoint } from '../../accounts/webhooks/receiver.ts'
import { openCommunity, select } from '../../community/community.ts'
import { machine } from '../../video/fleet/fleet.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { finishBackups } from '../backups/backups-kit.ts'

const previous = testVariables.AUTH_SECRET
const current = 'another-secret-that-is-only-good-for-tests-9876543210'
const rotating = { AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: previous }
const rotated = { AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: '' }

let world: World
/** The superadmin, who is the first person of an installation. */
let root: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
})

const resealAll = async () => {
	const total = { resealed: 0, lost: 0 }
	for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
		const { data }: { data: { resealed: number; lost: number; cursor: string | null } } = (
			await world.ask(resealSecrets, { body: { cursor } }, root)
		).ok
		total.resealed += data.resealed
		total.lost += data.lost
		cursor = data.cursor
	}
	return total
}
const kidOf = (token: string): string => JSON.parse(atob(token.split('.')[0] ?? '')).kid

describe('a rotation of AUTH_SECRET', () => {
	test('a rotation of AUTH_SECRET accepts everything that was made under the previous value', async () => {
		const film = await makeReady(world, root, 'Film', { downloadKey: 'downloads/x/best.mp4' })
		await env.VAULT.put('downloads/x/best.mp4', 'film')
		const params = { assetId: film.id }
		await world.ask(updateAsset, { params, body: { visibility: 'signed' } }, root)
		const { token } = (await world.ask(createPlaybackToken, { params }, root)).ok.data
		const { downloadUrl } = (await world.ask(downloadAsset, { params, query: { quality: 'best' } }, root)).ok
			.data
		const headers = { 'idempotency-key': 'once' }
		const made = await world.ask(createAsset, { body: { title: 'Once' } }, { ...root, headers })
		await world.ask(sendCode, { body: { email: root.email } })
		const code = codeSentTo(world, root.email)

		const unverified = await world.person({ verified: false })
		const verification = codeSentTo(world, unverified.email)

		world.set(rotating)
		expect((await world.ask(verifyEmail, { body: { code: verification } }, unverified)).status).toBe(200)
		expect((await world.ask(getMe, {}, root)).status).toBe(200)
		const watched = await world.ask(getPlayback, {
			params: { playbackId: film.playbackId },
			query: { token },
		})
		expect(watched.status).toBe(200)
		expect((await world.fetch(new Request(downloadUrl))).status).toBe(200)
		const again = await world.ask(createAsset, { body: { title: 'Once' } }, { ...root, headers })
		expect([again.ok.data.id, again.headers.get('idempotent-replayed')]).toEqual([made.ok.data.id, 'true'])
		const other = await world.ask(createAsset, { body: { title: 'Other' } }, { ...root, headers })
		expect(other.status).toBe(422)
		expect((await world.ask(verifyCode, { body: { email: root.email, code } })).status).toBe(200)
	})

	test('a rotation of AUTH_SECRET keeps machines up to date and devices known', async () => {
		const { id } = await machine(world)
		const credentials = { email: root.email, password: root.password }
		const signedIn = await world.ask(login, { body: credentials })
		const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
		world.set(rotating)
		const [listed] = (await world.ask(listMachines, { query: {} }, root)).ok.data
		expect(listed).toMatchObject({ id, outdated: false })
		const wrong = { ...credentials, password: 'wrong' }
		const tries = Array.from({ length: 30 }, () => world.ask(login, { body: wrong }, { ip: '192.0.2.7' }))
		expect((await Promise.all(tries)).at(-1)?.status).toBe(429)
		const known = await world.ask(login, { body: credentials }, { ip: '192.0.2.7', headers: { cookie } })
		expect(known.status).toBe(200)
	})

	test('a rotation signs with the current value, and its end rejects tokens of the previous value', async () => {
		world.set(rotating)
		const renewed = (await world.ask(refreshToken, {}, root)).ok.data.token
		expect(kidOf(renewed)).not.toBe(kidOf(root.token))
		world.set(rotated)
		expect((await world.ask(getMe, {}, { token: renewed })).status).toBe(200)
		expect((await world.ask(getMe, {}, root)).status).toBe(401)
	})

	test('a rotation rejects a token whose key id belongs to another key than its signature', async () => {
		world.set(rotating)
		const [head = '', ...rest] = root.token.split('.')
		const renewed = (await world.ask(refreshToken, {}, root)).ok.data.token
		const header = { ...JSON.parse(atob(head)), kid: kidOf(renewed) }
		const forged = [btoa(JSON.stringify(header)).replaceAll('=', ''), ...rest].join('.')
		expect((await world.ask(getMe, {}, { token: forged })).status).toBe(401)
	})

	test('the Worker does not start with two equal AUTH_SECRET values, or with only the previous one', async () => {
		for (const wrong of [
			{ AUTH_SECRET: previous, AUTH_SECRET_PREVIOUS: previous },
			{ AUTH_SECRET: '', AUTH_SECRET_PREVIOUS: previous },
		]) {
			world.set(wrong)
			expect((await world.fetch(new Request('https://edge.test/v1/auth/me'))).status).toBe(503)
		}
	})
})

describe('resealing stored data', () => {
	const invite = async (email: string) => {
		await world.ask(inviteMember, { params: { orgId: root.orgId }, body: { email } }, root)
		return (await world.deps((d) => invitationStore(d.db).list(root.orgId, 1, null)))[0]
	}
	const linkOf = (id: string) =>
		world.deps(async (d) => {
			const found = await invitationStore(d.db).find(id)
			if (!found || !d.secrets) throw new Error('the invitation or the secret is missing')
			const { nonce: sealed, tokenHash } = found.invitation
			return requireLinkToken(d.secrets, invitationLinks, { id, sealed, tokenHash })
		})

	test('resealing keeps mailed links valid and identical in later mails, without the previous value', async () => {
		const invitation = await invite('new@example.org')
		const id = invitation?.id ?? ''
		const mailed = await linkOf(id)
		const departing = await world.person()
		const requested = await world.ask(
			requestAccountDeletion,
			{ body: { confirm_email: departing.email } },
			departing,
		)
		const cancellation = () =>
			world.deps(async (d) => {
				const row = await deletionStore(d.db).find(requested.ok.id)
				if (!row) throw new Error('the request is missing')
				return deriveCancellationToken(d, row)
			})
		const cancel = await cancellation()

		world.set(rotating)
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		expect(await resealAll()).toEqual({ resealed: 2, lost: 0 })
		expect(await resealAll()).toEqual({ resealed: 0, lost: 0 })
		world.set(rotated)
		expect([await linkOf(id), await cancellation()]).toEqual([mailed, cancel])
		expect((await world.deps((d) => findOpenInvitation(d, mailed)))?.id).toBe(id)
	})

	test('resealing keeps the signing secrets of webhook endpoints', async () => {
		const { id } = await createEndpoint(world, root)
		const params = { orgId: root.orgId, endpointId: id }
		await world.ask(rotateWebhookSecret, { params }, root)
		const keys = () =>
			world.deps(async (d) => {
				const endpoint = await endpointStore(d.db).findById(id)
				return endpoint && d.secrets && openSigningKeys(d.secrets, endpoint, d.now)
			})
		const before = await keys()
		expect(before).toHaveLength(2)
		world.set(rotating)
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		expect(await resealAll()).toEqual({ resealed: 2, lost: 0 })
		world.set(rotated)
		expect(await keys()).toEqual(before)
	})

	test('resealing keeps the client secrets of identity providers', async () => {
		const community = await openCommunity(world)
		const place = { communityId: community.id, issuer: 'https://id.example.org', clientId: 'club' }
		const params = { communityId: String(community.id) } as never
		const body = { label: 'L', issuer: place.issuer, clientId: place.clientId, clientSecret: 'between us' }
		const made = await world.ask(createIdentityProvider, { params, body }, community.owner)
		expect(made.text).not.toContain('between us')
		const stored = () =>
			select<{ secret: string }>(world, 'select client_secret as secret from community_identity_providers')
		expect(JSON.stringify(await stored())).not.toContain('between us')
		world.set(rotating)
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		expect(await resealAll()).toEqual({ resealed: 1, lost: 0 })
		world.set(rotated)
		const [row] = await stored()
		const open = (more: object = {}) =>
			world.deps((d) => openClientSecret(d, { ...place, clientSecret: row?.secret ?? '', ...more }))
		expect(await open()).toBe('between us')
		expect(await open({ issuer: 'https://evil.example.org' })).toBeNull()
	})

	test('resealing keeps backups, sealed or for a recipient, and skips those that were changed', {
		tags: 'd1',
	}, async () => {
		const identity = await generateX25519Identity()
		const recipient = await identityToRecipient(identity)
		const ids: string[] = []
		for (const BACKUP_RECIPIENT of ['', '', recipient, recipient, '', '']) {
			world.set({ BACKUP_RECIPIENT })
			ids.push((await world.ask(runBackup, {}, root)).ok.data.id)
			await finishBackups(world)
		}
		const texts = () =>
			world.deps(({ objects }) =>
				Promise.all(
					ids.map(async (id) => {
						const found = await objects.vault.get(manifestObjectKey(id))
						return found.state === 'found' ? new Response(found.body).text() : ''
					}),
				),
			)
		const damaged = manifestObjectKey(ids.pop() ?? '')
		await world.deps(({ objects }) => objects.vault.put(damaged, '{}'))
		const before = (await texts()).map((text) => JSON.parse(text))

		world.set(rotating)
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		expect(await resealAll()).toEqual({ resealed: 5, lost: 1 })
		expect(await resealAll()).toEqual({ resealed: 0, lost: 1 })
		const after = await texts()
		expect(after.map((text) => JSON.parse(text))).toEqual(
			before.map(({ sealedKey, originMac, ...kept }) => ({
				...kept,
				...(sealedKey
					? { sealedKey: expect.not.stringMatching(sealedKey) }
					: { originMac: expect.any(String) }),
			})),
		)
		const ofOldValue = deriveSecrets(previous)
		const ofNewValue = deriveSecrets(current)
		for (const text of after) {
			await expect(openManifest(ofOldValue, text, [identity])).rejects.toThrow('AUTH_SECRET_PREVIOUS')
			expect((await openManifest(ofNewValue, text, [identity])).isOriginChecked).toBe(true)
		}
	})

	test('resealing does not restore a manifest that was deleted meanwhile', async () => {
		const { id } = (await world.ask(runBackup, {}, root)).ok.data
		await finishBackups(world)
		world.set(rotating)
		const outcome = await world.deps(async (deps) => {
			const { vault } = deps.objects
			const get: typeof vault.get = async (...args) => {
				const found = await vault.get(...args)
				await vault.delete(manifestObjectKey(id))
				return found
			}
			const racing = { ...deps, objects: { ...deps.objects, vault: { ...vault, get } } }
			return resealBackups(racing, deriveSecrets(current, previous), '', 5)
		})
		expect(outcome).toMatchObject({ resealed: 0, lost: 0 })
		expect(await world.deps(({ objects }) => objects.vault.head(manifestObjectKey(id)))).toBeNull()
	})

	test('resealing keeps authenticator apps, recovery codes and passkeys', async () => {
		const ada = await world.person()
		const { app, recoveryCodes } = await setUpApp(world, ada)
		const { authenticator } = await addPasskey(world, ada)
		world.set(rotating)
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		// The secret of the app, and the data key of the handles that passkeys know users by.
		expect(await resealAll()).toEqual({ resealed: 2, lost: 0 })
		world.set(rotated)
		const passkey = await signChallenge(world, authenticator)
		const signedIn = [
			await completeWith(world, { ticket: await requestTicket(world, ada), totp: await app.nextCode() }),
			await completeWith(world, {
				ticket: await requestTicket(world, ada),
				recoveryCode: recoveryCodes?.[0] ?? '',
			}),
			await world.ask(signInWithPasskey, { body: { passkey } }),
		]
		expect(signedIn.map(({ status }) => status)).toEqual([200, 200, 200])
	})

	test('resealing keeps unsubscribed addresses and unsubscribe links', async () => {
		const refuses = (email: string) => world.deps((d) => hasRefusedMail(d, email))
		const url = await world.deps((d) =>
			createUnsubscribeUrl(d, 'stranger@example.net', { orgId: null, invitation: 'inv_1' }),
		)
		const choose = (choice: 'refuse' | 'allow') =>
			world.deps((d) => applyChoice(d, new URL(url).searchParams.get('token') ?? '', choice))
		await choose('refuse')
		world.set(rotating)
		await choose('refuse')
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		expect(await resealAll()).toEqual({ resealed: 2, lost: 0 })
		world.set(rotated)
		expect([await refuses('Stranger@example.net'), await refuses('other@example.net')]).toEqual([true, false])
		await choose('allow')
		expect(await refuses('stranger@example.net')).toBe(false)
	})

	test('resealing continues page by page after an interruption', async () => {
		for (let i = 0; i < 25; i++) await invite(`new${i}@example.org`)
		world.set(rotating)
		const first = (await world.ask(resealSecrets, { body: {} }, root)).ok.data
		expect(first).toMatchObject({ resealed: 20, lost: 0, cursor: expect.stringContaining('0.inv_') })
		expect(await resealAll()).toEqual({ resealed: 5, lost: 0 })
	})

	test('resealing also seals rows from before tokens were sealed', async () => {
		const invitation = await invite('new@example.org')
		const id = invitation?.id ?? ''
		const token = await world.deps(
			async (d) => (await d.secrets?.hmac('invitation-link', `${id}.nonce`)) ?? '',
		)
		await world.deps(async (d) =>
			d.db.all(
				`update org_invitations set nonce = 'nonce', token_hash = '${await sha256(token)}' returning id`,
			),
		)
		expect(await linkOf(id)).toBe(token)
		world.set(rotating)
		expect(await resealAll()).toEqual({ resealed: 1, lost: 0 })
		root = { ...root, token: (await world.ask(refreshToken, {}, root)).ok.data.token }
		world.set(rotated)
		expect(await linkOf(id)).toBe(token)
	})

	test('resealing does not open a sealed token in another row, and counts it as lost', async () => {
		const [one, two] = [await invite('one@example.org'), await invite('two@example.org')]
		await world.deps((d) =>
			d.db.all(`update org_invitations set nonce = '${one?.nonce}' where id = '${two?.id}' returning id`),
		)
		await expect(linkOf(two?.id ?? '')).rejects.toThrow('AUTH_SECRET')
		world.set(rotating)
		expect(await resealAll()).toEqual({ resealed: 1, lost: 1 })
	})

	test('resealing leaves no token in plain text in the database', async () => {
		const invitation = await invite('new@example.org')
		const token = await linkOf(invitation?.id ?? '')
		expect(JSON.stringify(await world.dump())).not.toContain(token)
	})
})
