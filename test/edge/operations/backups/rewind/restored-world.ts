import { crons } from '../../../../../edge/http/feature.ts'
import { MINUTE } from '../../../../../edge/platform/clock.ts'
import type { Db } from '../../../../../edge/platform/database/database.ts'
import { openWorld } from '../../../../support/edge/world.ts'

type Table = { name: string; columns: string[]; rows: string }

/** Reads every row of the database, as a backup does. */
async function readState(db: Db): Promise<Table[]> {
	const tables = await db.all<{ name: string }>(
		"select name from sqlite_master where type = 'table' and name not like '_cf_%' and (name = 'sqlite_sequence' or name not like 'sqlite_%')",
	)
	return Promise.all(
		tables.map(async ({ name }) => {
			const columns = await db.all<{ name: string }>(`select name from pragma_table_info('${name}')`)
			const rows = JSON.stringify(await db.all(`select * from "${name}"`))
			return { name, columns: columns.map((column) => column.name), rows }
		}),
	)
}

/** Puts an older state in place of the newer one, as a restore does. */
async function writeState(db: Db, tables: readonly Table[]): Promise<void> {
	// The sequences come last, because inserts change them.
	const isLast = ({ name }: Table) => Number(name === 'sqlite_sequence')
	for (const { name, columns, rows } of tables.toSorted((a, b) => isLast(a) - isLast(b))) {
		await db.all(`delete from "${name}" returning 1`)
		const names = columns.map((column) => `"${column}"`).join(', ')
		const values = columns.map((column) => `value ->> '$."${column}"'`).join(', ')
		const literal = rows.replaceAll("'", "''")
		if (rows !== '[]')
			await db.all(
				`insert into "${name}" (${names}) select ${values} from json_each('${literal}') returning 1`,
			)
	}
}

/** Opens a world whose database can be restored. Its first checkpoints are in the vault. */
export async function openRestoredWorld() {
	const world = await openWorld()
	const restored = {
		...world,
		get now() {
			return world.now
		},
		/** Takes a backup. The returned function restores it under a Worker that keeps running. */
		async backUp(): Promise<() => Promise<void>> {
			const state = await world.deps(({ db }) => readState(db))
			return () => world.deps(({ db }) => writeState(db, state))
		},
		/** Starts the Worker again, without what it remembers. */
		restart: () => world.set({}),
		/** Runs the tasks of the next minute. */
		async minute(): Promise<void> {
			world.pass(MINUTE)
			await world.cron(crons.eachMinute)
		},
		async settle(): Promise<void> {
			while (world.messages.length > 0) await world.deliver()
		},
		rows: <Row = Record<string, unknown>>(sql: string) => world.deps(({ db }) => db.all<Row>(sql)),
	}
	await restored.minute()
	await restored.minute()
	return restored
}

export type RestoredWorld = Awaited<ReturnType<typeof openRestoredWorld>>
