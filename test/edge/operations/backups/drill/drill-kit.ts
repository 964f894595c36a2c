import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as contract from '#schema/contract/operations/installation/backups.ts'
import type { BackupDrill } from '../../../../../edge/operations/backups/drill/drill-object.ts'
import type { Manifest } from '../../../../../edge/operations/backups/format/manifest.ts'
import {
	BACKUP_KEY,
	checkManifest,
	signManifest,
} from '../../../../../edge/operations/backups/format/signed-manifest.ts'
import { CHUNKS, manifestObjectKey } from '../../../../../edge/operations/backups/keys.ts'
import { sweepBackups } from '../../../../../edge/operations/backups/start.ts'
import { deriveSecrets } from '../../../../../edge/platform/tokens/secrets.ts'
import type { Person, World } from '../../../../support/edge/world.ts'
import { testVariables } from '../../../../support/shared/variables.ts'
import { finishBackups, finishDrills } from '../backups-kit.ts'

const secrets = deriveSecrets(testVariables.AUTH_SECRET)

export const write = (world: World, statement: string) =>
	world.deps(({ db }) => db.all(`${statement} returning 1`))

/** Makes a backup of several chunks: rows are changed and deleted while it is made. */
export async function makeBackup(world: World, root: Person): Promise<string> {
	await write(
		world,
		"insert into data_keys (rowid, name, sealed, created_at) with n(i) as (select 1 union all select i + 1 from n where i < 30) select i * 1000, 'name ' || i, hex(randomblob(30000)), 0 from n",
	)
	const { id } = (await world.ask(contract.runBackup, {}, root)).ok.data
	let isChanged = false
	await world.dieDuring(
		(sql) => {
			if (isChanged || !sql.startsWith('select max(seq)')) return
			isChanged = true
			throw new Error('the Worker died')
		},
		() => finishBackups(world),
	)
	await write(world, "update data_keys set sealed = 'changed' where rowid = 7000")
	// The name of a row that was read goes to another row, and its key to a third one.
	await write(world, 'delete from data_keys where rowid = 9000')
	await write(world, "insert into data_keys (name, sealed, created_at) values ('name 9', 'new', 0)")
	await write(world, 'delete from data_keys where rowid = 30000')
	world.pass(6 * 60_000)
	await world.perform(sweepBackups)
	await finishBackups(world)
	return id
}

export const list = async (world: World, root: Person) =>
	(await world.ask(contract.listBackups, { query: {} }, root)).ok.data

export const verify = (world: World, who: Person, backupId: string) =>
	world.ask(contract.verifyBackup, { params: { backupId } }, who)

/** Verifies a backup, and returns what the list says about it. */
export async function drill(world: World, root: Person, backupId: string) {
	await verify(world, root, backupId).then(({ ok }) => ok)
	await finishDrills(world)
	return (await list(world, root)).find(({ id }) => id === backupId)
}

export const listChunks = (world: World, id: string): Promise<string[]> =>
	world.deps(async ({ objects }) =>
		(await objects.vault.list(`${CHUNKS}${id}/`)).objects.map(({ key }) => key),
	)

export const readObject = (world: World, key: string): Promise<Uint8Array<ArrayBuffer>> =>
	world.deps(async ({ objects }) => {
		const found = await objects.vault.get(key)
		if (found.state !== 'found') throw new Error(`${key} is missing`)
		return new Uint8Array(await new Response(found.body).arrayBuffer())
	})

export const putObject = (world: World, key: string, bytes: Uint8Array<ArrayBuffer> | string) =>
	world.deps(({ objects }) => objects.vault.put(key, bytes as Uint8Array<ArrayBuffer>))

/** Replaces the manifest of a backup by another one that is signed as well. */
export const changeManifest = (
	world: World,
	id: string,
	change: (manifest: Manifest) => Manifest,
): Promise<void> =>
	world.deps(async () => {
		const text = new TextDecoder().decode(await readObject(world, manifestObjectKey(id)))
		const { manifest, stored } = await checkManifest(secrets, text)
		const sealedKey = 'sealedKey' in stored ? stored.sealedKey : ''
		const dataKey = (await secrets.unseal(BACKUP_KEY, sealedKey, id)) ?? ''
		const signed = await signManifest(secrets, dataKey, change(manifest), undefined)
		await putObject(world, manifestObjectKey(id), JSON.stringify(signed))
	})

/** Returns what the scratch database stores. */
export const scratchState = () =>
	runInDurableObject(env.BACKUP_DRILL.getByName('drill'), async (object, { storage }) => ({
		drill: (object as BackupDrill).find(),
		tables: storage.sql
			.exec("select name from sqlite_master where type = 'table' and name not glob '_cf_*'")
			.toArray()
			.map(({ name }) => String(name)),
		alarm: await storage.getAlarm(),
	}))

export const emptyScratch = { drill: null, tables: [], alarm: null }

type Call = (name: string, call: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>

/** Has every call of the scratch database pass through a function, which may fail before or after it. */
export function interceptCalls(world: World, through: Call): void {
	const stub = env.BACKUP_DRILL.getByName('drill') as unknown as Record<
		string,
		(...args: unknown[]) => Promise<unknown>
	>
	const intercepted = new Proxy(stub, {
		get:
			(_, name: string) =>
			(...args: unknown[]) =>
				through(name, async () => stub[name]?.(...args), args),
	})
	world.set({ BACKUP_DRILL: { getByName: () => intercepted } as never })
}
