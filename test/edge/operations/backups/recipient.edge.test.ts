/** @module-tag d1 */
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#schema/contract/operations/installation/backups.ts'
import { newDataKey } from '../../../../edge/operations/backups/format/chunk.ts'
import {
	checkManifest,
	openManifest,
	signManifest,
} from '../../../../edge/operations/backups/format/signed-manifest.ts'
import { deleteExpiredBackups } from '../../../../edge/operations/backups/keep/delete.ts'
import { manifestObjectKey } from '../../../../edge/operations/backups/keys.ts'
import { sweepBackups } from '../../../../edge/operations/backups/start.ts'
import { parseEnv } from '../../../../edge/platform/env.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { finishBackups, readBackup, readTables } from './backups-kit.ts'

const secrets = deriveSecrets(testVariables.AUTH_SECRET)
const identity = await generateX25519Identity()
const recipient = await identityToRecipient(identity)

let world: World
let root: Person
beforeEach(async () => {
	world = await openWorld({ BACKUPS_ENABLED: 'true' })
	root = await world.person()
	world.messages.length = 0
	world.set({ BACKUP_RECIPIENT: recipient })
})

const start = async () => (await world.ask(contract.runBackup, {}, root)).ok.data.id
const list = async () => (await world.ask(contract.listBackups, { query: {} }, root)).ok.data
const manifestText = (id: string) =>
	world.deps(async ({ objects }) => {
		const found = await objects.vault.get(manifestObjectKey(id))
		return found.state === 'found' ? new Response(found.body).text() : ''
	})
const putManifest = (id: string, stored: object) =>
	world.deps(({ objects }) => objects.vault.put(manifestObjectKey(id), JSON.stringify(stored)))
const storedKey = async (id: string) => {
	const [row] = await world.deps(({ db }) =>
		db.all<{ key: string }>(`select sealed_key as "key" from backups where id = '${id}'`),
	)
	return row?.key
}
async function makeBackup(): Promise<string> {
	const id = await start()
	await finishBackups(world)
	return id
}
async function download(backupId: string): Promise<Response> {
	const { data } = (await world.ask(contract.createBackupDownload, { params: { backupId } }, root)).ok
	return world.fetch(new Request(data.downloadUrl))
}

describe('a backup for a recipient', () => {
	test('a backup for a recipient is read with the identity alone, and not by its own installation', async () => {
		const id = await start()
		expect(await storedKey(id)).toMatch(/^s1\./)
		const before = await readTables(world)
		await finishBackups(world)
		expect(await storedKey(id)).toBe('')
		const text = await manifestText(id)
		expect(Object.keys(JSON.parse(text))).toEqual([
			'manifest',
			'mac',
			'recipient',
			'encryptedKey',
			'originMac',
		])
		expect((await checkManifest(secrets, text)).keys).toBeNull()
		await expect(openManifest(secrets, text)).rejects.toThrow(`is encrypted to ${recipient}; give the file`)
		await expect(openManifest(secrets, text, [await generateX25519Identity()])).rejects.toThrow(
			'this identity is another one',
		)
		expect((await readBackup(world, id, [identity])).rows).toEqual(before)
		expect((await openManifest(null, text, [identity])).isOriginChecked).toBe(false)
		expect((await openManifest(secrets, text, [identity])).isOriginChecked).toBe(true)
		expect((await download(id)).status).toBe(200)
	})

	test('a failed backup for a recipient leaves no key in the database', async () => {
		const id = await start()
		const die = (sql: string) => {
			if (sql.includes('sqlite_master')) throw new Error('the Worker died')
		}
		await world.dieDuring(die, async () => {
			for (let attempt = 0; attempt < 10; attempt++) {
				await finishBackups(world)
				world.pass(6 * 60_000)
				await world.perform(sweepBackups).catch(() => {})
			}
		})
		expect(await storedKey(id)).toBe('')
	})

	test('a restored database lists a backup for a recipient again, unless another installation made it', async () => {
		const id = await makeBackup()
		const { manifest } = JSON.parse(await manifestText(id))
		const foreign = { ...manifest, id: `bkp_${'0'.repeat(26)}` }
		const others = deriveSecrets('another-secret-that-is-only-good-for-tests')
		await putManifest(foreign.id, await signManifest(others, newDataKey(), foreign, recipient))
		await world.deps(({ db }) => db.all('delete from backups returning 1'))
		await world.perform(deleteExpiredBackups)
		expect((await list()).map((backup) => backup.id)).toEqual([id])
	})

	test('a backup for a recipient is neither served nor restored after its manifest was replaced', async () => {
		const id = await makeBackup()
		const stored = JSON.parse(await manifestText(id))
		const others = deriveSecrets('another-secret-that-is-only-good-for-tests')
		const other = JSON.parse(await manifestText(await makeBackup()))
		const changes = [
			{ ...stored, manifest: { ...stored.manifest, schema: [] } },
			{ ...stored, recipient: await identityToRecipient(await generateX25519Identity()) },
			await signManifest(others, newDataKey(), stored.manifest, recipient),
		]
		for (const changed of changes) {
			await putManifest(id, changed)
			expect((await download(id)).status).toBe(409)
			await expect(openManifest(secrets, JSON.stringify(changed), [identity])).rejects.toThrow(
				'the manifest was changed',
			)
		}
		await putManifest(id, other)
		expect((await download(id)).status).toBe(409)
	})
})

test('a backup without recipient is not served after its manifest was changed', async () => {
	world.set({ BACKUP_RECIPIENT: '' })
	const id = await makeBackup()
	const stored = JSON.parse(await manifestText(id))
	await putManifest(id, { ...stored, manifest: { ...stored.manifest, chunks: [] } })
	expect((await download(id)).status).toBe(409)
})

test.each([
	['a typo', recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))],
	['an identity', identity],
	['a shortened one', recipient.slice(0, -6)],
])('the Worker does not start with %s as the recipient of backups', (_, text) => {
	expect(() => parseEnv({ ...world.bindings, BACKUP_RECIPIENT: text })).toThrow(
		'BACKUP_RECIPIENT: must be a recipient of age',
	)
	expect(() => parseEnv({ ...world.bindings, BACKUP_RECIPIENT: recipient })).not.toThrow()
})
