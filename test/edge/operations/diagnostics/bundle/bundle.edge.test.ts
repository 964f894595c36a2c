import { beforeEach, expect, test } from 'vitest'
import { getDiagnostics } from '#schema/contract/operations/diagnostics.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { backups } from '#schema/tables/operations/backups.ts'
import { deadLetters } from '#schema/tables/platform.ts'
import { assetErrorGroups } from '#schema/tables/video/assets.ts'
import { taskFailures } from '#schema/tables/video/transcoding.ts'
import { Variables } from '../../../../../edge/platform/env.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { machine } from '../../../video/fleet/fleet.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld({}, { counts: true })
	admin = await world.person()
})

const ask = (who: Person | undefined = admin) => world.ask(getDiagnostics, { query: { bundle: '1' } }, who)

const BACKUP_ID = 'bkp_01hv0000000000000000000000'

/** Valid values that would do harm in the hands of others. */
const planted = {
	AUTH_SECRET_PREVIOUS: 'planted-auth-secret-of-more-than-32-characters',
	METRICS_TOKEN: 'planted-metrics-token-0123456789',
	SMTP_URL: 'smtp://planted-user:planted-password@planted-mail.example:587',
	MAIL_API_URL: 'https://planted-api.example/send',
	MAIL_API_KEY: 'planted-mail-key',
	MAIL_FROM: 'Ada <planted-sender@planted.example>',
	S3_ENDPOINT: 'https://planted-account.r2.example',
	S3_ACCESS_KEY_ID: 'planted-access-key',
	S3_SECRET_ACCESS_KEY: 'planted-secret-key',
	TRANSCRIPTION_PROVIDER: 'deepgram',
	TRANSCRIPTION_KEY: 'planted-transcription-key',
	LIBSQL_AUTH_TOKEN: 'planted-libsql-token',
	CORS_ORIGINS: 'https://planted-origin.example',
	SECURITY_CONTACT: 'mailto:planted-contact@planted.example',
}

test('the bundle has what support needs, and is part of the response only on request', async () => {
	await machine(world)
	const { bundle } = (await ask()).ok.data
	expect(bundle).toMatchObject({
		version: expect.stringMatching(/^\d+\.\d+\.\d+/),
		variables: { ENVIRONMENT: 'test', AUTH_SECRET: 'set', SMTP_URL: 'not set' },
		machines: [{ state: 'online', paused: false }],
		backups: [],
		deadLetters: [],
		failedRequests: [],
	})
	expect(bundle?.bindings).toEqual(expect.arrayContaining(['FLEET', 'MEDIA', 'METRICS', 'VAULT']))
	expect(Object.keys(bundle?.variables ?? {})).toEqual(Object.keys(Variables.shape))
	expect((await world.ask(getDiagnostics, {}, admin)).ok.data).not.toHaveProperty('bundle')
})

test('the bundle contains no secret, address or name planted in any part', async () => {
	world.set(planted)
	const cause =
		'planted.host.example in /srv/planted/a b.mp4: planted-password of planted-person@planted.example at https://planted:planted@planted.example, phk_live_planted0123456789, planted-mail-key'
	const text = `"planted-title" on ${cause}`
	await world.deps(async ({ db, now }) => {
		await db.insert(deadLetters).values({
			...{ id: 'dlt_1', queue: 'playhouse-bulk', type: 'mail.send', attempts: 9, createdAt: now },
			body: { type: 'mail.send', to: 'planted-person@planted.example', code: 'planted-code' },
		})
		await db.insert(assetErrorGroups).values({
			...{ fingerprint: 'f', message: text, occurrences: 2, firstSeenAt: now, lastSeenAt: now },
		})
		await db.insert(backups).values({
			...{ id: BACKUP_ID, reason: 'daily', state: 'failed', startedAt: now, finishedAt: now, dueAt: now },
			...{ sealedKey: 'planted-sealed-key', error: cause, drillError: cause, drilledAt: now, sizeBytes: 7 },
		})
		await db.insert(taskFailures).values({
			...{ taskId: 'tsk_1', epoch: 1, jobId: 'job_1', assetId: 'ast_1', orgId: 'org_1', kind: 'video' },
			...{ reason: 'transient', message: text, log: 'planted-log', createdAt: now },
		})
	})
	await machine(world, { name: 'planted-host' })
	const answer = await ask()
	const { bundle } = answer.ok.data
	expect(bundle).toMatchObject({
		backups: [{ id: BACKUP_ID, state: 'failed', sizeBytes: 7, drilledAt: expect.any(String) }],
		deadLetters: [{ type: 'mail.send', attempts: 9 }],
		assetErrors: [{ occurrences: 2 }],
		taskFailures: [{ kind: 'video', reason: 'transient' }],
		variables: { SMTP_URL: 'set', MAIL_FROM: 'set', TRANSCRIPTION_PROVIDER: 'deepgram' },
	})
	expect(answer.text).not.toContain('planted')
	for (const secret of [
		admin.email,
		admin.orgId,
		String(world.bindings.AUTH_SECRET),
		String(world.bindings.FLEET_TOKEN),
	])
		expect(answer.text).not.toContain(secret)
})

test('the bundle lists the failed operations for which the installation is responsible', async () => {
	const die = (message: string) =>
		world.dieDuring(
			() => {
				throw new Error(message)
			},
			() => world.ask(createAsset, { body: { title: 'Film' } }, admin),
		)
	await die('broken')
	await die('D1_ERROR: Exceeded maximum DB size')
	await world.fetch(new Request('https://edge.test/v1/billing/webhook', { method: 'POST', body: '{}' }))
	expect((await ask()).ok.data.bundle?.failedRequests).toEqual([{ operation: 'createAsset', count: 2 }])
})

test('a part of the bundle that cannot be read is null and hides no other', async () => {
	const { bundle } = await world.dieDuring(
		(sql) => {
			if (sql.includes('asset_error_groups')) throw new Error('gone')
		},
		async () => (await ask()).ok.data,
	)
	expect(bundle).toMatchObject({ machines: null, assetErrors: null, ai: { providers: [] } })
})

test('superadmins alone get the bundle', async () => {
	const stranger = await world.person()
	expect((await ask(stranger)).status).toBe(403)
	expect((await world.ask(getDiagnostics, { query: { bundle: '1' } })).status).toBe(401)
})
