import type { Message } from '#schema/contract/messages.ts'
import { openChunk } from '../../../../edge/operations/backups/format/chunk.ts'
import { parseEntries } from '../../../../edge/operations/backups/format/lines.ts'
import type { Manifest } from '../../../../edge/operations/backups/format/manifest.ts'
import { openManifest } from '../../../../edge/operations/backups/format/signed-manifest.ts'
import { MANIFESTS } from '../../../../edge/operations/backups/keys.ts'
import { leftOut } from '../../../../edge/operations/backups/run/left-out.ts'
import type { World } from '../../../support/edge/world.ts'

export type Rows = Record<string, Record<string, unknown>[]>

/** Delivers messages of backups until none is left. Other messages stay. */
export const finishBackups = (world: World): Promise<void> => finish(world, 'backup.continue')

/** Delivers messages of drills until none is left. */
export const finishDrills = (world: World): Promise<void> => finish(world, 'backup.drill')

async function finish(world: World, type: StepType, limit = 200): Promise<void> {
	for (let sent = 0; sent < limit; sent++) {
		const [message] = takeSteps(world, type)
		if (!message) return
		await world.deliver([message], 'playhouse-bulk')
	}
	throw new Error(`${type} does not end`)
}

type StepType = 'backup.continue' | 'backup.drill'

export function takeSteps(world: World, of: StepType = 'backup.continue'): Message[] {
	const steps = world.messages.filter(({ type }) => type === of)
	for (const step of steps) world.messages.splice(world.messages.indexOf(step), 1)
	return steps
}

/** Reads a backup as a restore does: the rows of each table in the order of their keys. */
export const readBackup = (
	world: World,
	id: string,
	identities: readonly string[] = [],
): Promise<{ manifest: Manifest; rows: Rows }> =>
	world.deps(async ({ objects, secrets }) => {
		const read = async (key: string) => {
			const found = await objects.vault.get(key)
			if (found.state !== 'found') throw new Error(`${key} is missing`)
			return new Response(found.body)
		}
		const text = await (await read(`${MANIFESTS}${id}.json`)).text()
		const { manifest, keys } = await openManifest(secrets, text, identities)
		const tables = new Map(manifest.tables.map(({ name }) => [name, new Map<number, object>()]))
		for (const [position, chunk] of manifest.chunks.entries()) {
			const bytes = new Uint8Array(await (await read(chunk.key)).arrayBuffer())
			const lines = await openChunk(keys, { backupId: id, position }, chunk, bytes)
			for (const { table, columns, rowid, values } of parseEntries(lines))
				if (values)
					tables.get(table)?.set(rowid, Object.fromEntries(columns.map((name, at) => [name, values[at]])))
				else tables.get(table)?.delete(rowid)
		}
		const rows = [...tables].map(([name, byId]) => [
			name,
			[...byId].toSorted(([a], [b]) => a - b).map(([, row]) => row),
		])
		return { manifest, rows: Object.fromEntries(rows) }
	})

/** Reads the tables that backups contain. */
export async function readTables(world: World): Promise<Rows> {
	const names = await world.deps(({ db }) =>
		db.all<{ name: string }>(
			"select name from sqlite_master where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*'",
		),
	)
	const rows: Rows = {}
	for (const { name } of names)
		if (!Object.hasOwn(leftOut, name))
			rows[name] = await world.deps(({ db }) => db.all(`select * from "${name}" order by rowid`))
	return rows
}

export const listTriggers = (world: World): Promise<{ name: string }[]> =>
	world.deps(({ db }) => db.all("select name from sqlite_master where type = 'trigger'"))
