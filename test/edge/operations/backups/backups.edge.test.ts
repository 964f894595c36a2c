import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#schema/contract/operations/installation/backups.ts'
import { manifestObjectKey } from '../../../../edge/operations/backups/keys.ts'
import { STEP_LEASE_MS } from '../../../../edge/operations/backups/run/continue.ts'
import { sweepBackups } from '../../../../edge/operations/backups/start.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { finishBackups, listTriggers, readBackup, readTables } from './backups-kit.ts'

let world: World
let root: Person
beforeEach(async () => {
	world = await openWorld({ BACKUPS_ENABLED: 'true' })
	root = await world.person()
	world.messages.length = 0
})

const run = () => world.ask(contract.runBackup, {}, root)
const list = async () => (await world.ask(contract.listBackups, { query: {} }, root)).ok.data

/** The long version tries all on both databases; otherwise each kind is tried on one of them. */
const shareOf = (kinds: readonly string[]) =>
	kinds.filter((_, at) => env.PROOF_SEEDS || at % 2 === (env.LIBSQL_BASE ? 1 : 0))

/** Returns a statement without its names and numbers, and as if every table had the same columns. */
const kindOf = (sql: string) =>
	sql
		.replaceAll(/"(?!backups"|backup_)\w+"/g, '"…"')
		.replaceAll(/\d+/g, '0')
		.replaceAll(/"…"(, "…")+/g, '"…"')
		.replaceAll(
			/coalesce\(length\("…"\), 0\)( \+ coalesce\(length\("…"\), 0\))+/g,
			'coalesce(length("…"), 0)',
		)
		.slice(0, 70)

/** Makes the highest rowid so large that the database is not read in one transaction. Keys of ours may be 0. */
const enlarge = () =>
	write(
		"insert into data_keys (rowid, name, sealed, created_at) values (5000, 'last', 'x', 0), (0, 'zero', 'x', 0), (-3, 'negative', 'x', 0)",
	)
const write = (statement: string) => world.deps(({ db }) => db.all(`${statement} returning 1`))

describe('a backup', () => {
	test('a backup of a small database has every row of every table, and is made without triggers', async () => {
		const { id } = (await run()).ok.data
		const before = await readTables(world)
		await finishBackups(world)
		const { rows, manifest } = await readBackup(world, id)
		expect(rows).toEqual(before)
		expect(rows.users).toHaveLength(1)
		expect(manifest.chunks).toHaveLength(1)
		expect(await list()).toMatchObject([
			{ id, state: 'completed', reason: 'requested', tables: manifest.tables.length, error: null },
		])
		expect(await listTriggers(world)).toEqual([])
	})

	test('a backup of a large database survives a crash before every kind of statement, with later rows', async () => {
		await enlarge()
		await run()
		const kinds = new Set<string>()
		await world.dieDuring(
			(sql) => void kinds.add(kindOf(sql)),
			() => finishBackups(world),
		)
		expect(kinds.size).toBeGreaterThan(20)
		for (const [at, kind] of shareOf([...kinds]).entries()) {
			const { id } = (await run()).ok.data
			let deaths = 0
			const die = (sql: string) => {
				if (kindOf(sql) !== kind || deaths > 0) return
				deaths++
				throw new Error('the Worker died')
			}
			await world.dieDuring(die, () => finishBackups(world))
			expect([kind, deaths]).toEqual([kind, 1])
			const isStored = await world.deps(({ objects }) => objects.vault.head(manifestObjectKey(id)))
			const atDeath = await readTables(world)
			await write(`update data_keys set name = 'first of ${at}' where rowid = 5000`)
			await write(`insert into data_keys (name, sealed, created_at) values ('new ${at}', 'x', 0)`)
			await write(`delete from data_keys where rowid = (select min(rowid) from data_keys where rowid > 5000)`)
			world.pass(STEP_LEASE_MS + 1)
			await world.deps(sweepBackups)
			await finishBackups(world)
			const { rows } = await readBackup(world, id)
			expect({ kind, rows }).toEqual({ kind, rows: isStored ? atDeath : await readTables(world) })
			expect([kind, (await list())[0]?.state, await listTriggers(world)]).toEqual([kind, 'completed', []])
		}
	})
})
