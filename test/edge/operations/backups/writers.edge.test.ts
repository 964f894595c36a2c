import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { runBackup } from '#schema/contract/operations/installation/backups.ts'
import { STEP_LEASE_MS } from '../../../../edge/operations/backups/run/continue.ts'
import { sweepBackups } from '../../../../edge/operations/backups/start.ts'
import { isDatabaseUnavailable } from '../../../../edge/platform/database/database-unavailable.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Chooser, chooserFrom } from '../../../support/shared/random.ts'
import { readBackup, takeSteps } from './backups-kit.ts'

/** A few by default; `npm run prove -- backups` runs many. */
const seeds = env.PROOF_SEEDS ? Array.from({ length: Number(env.PROOF_SEEDS) }, (_, at) => at + 1) : [1]
const WRITERS = env.PROOF_SEEDS ? 200 : 40
const WRITES_EACH = 12
/** Writers go on while the backup is made, but a slow machine must get to its end. */
const MAX_WRITES_EACH = 36

/** A write to one of many rows. */
type Write =
	| { kind: 'put'; name: string; text: string }
	| { kind: 'append'; name: string; text: string }
	| { kind: 'rename'; name: string; to: string }
	| { kind: 'delete'; name: string }

const NAMES = Array.from({ length: 1_000 }, (_, at) => `name ${at}`)

function randomWrite({ pick, one }: Chooser): Write {
	const name = one(NAMES) ?? ''
	const text = String.fromCodePoint(0x1f600 + NAMES.indexOf(name)) + pick('a', 'b"\n', "c'")
	// Most rows are only updated: one that is also inserted or deleted would be read again anyway.
	return pick<Write>(
		{ kind: 'put', name, text },
		{ kind: 'append', name, text },
		{ kind: 'append', name, text },
		{ kind: 'append', name, text },
		{ kind: 'rename', name, to: one(NAMES) ?? '' },
		{ kind: 'delete', name },
	)
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

function statementOf(write: Write): string {
	const name = quote(write.name)
	switch (write.kind) {
		case 'put':
			return `insert into data_keys (name, sealed, created_at) values (${name}, ${quote(write.text)}, 0) on conflict (name) do update set sealed = excluded.sealed`
		case 'append':
			return `update data_keys set sealed = sealed || ${quote(write.text)} where name = ${name}`
		case 'rename':
			return `update data_keys set name = ${quote(write.to)} where name = ${name} and not exists (select 1 from data_keys where name = ${quote(write.to)})`
		case 'delete':
			return `delete from data_keys where name = ${name}`
	}
}

function apply(state: Map<string, string>, write: Write): void {
	const before = state.get(write.name)
	if (write.kind === 'put') state.set(write.name, write.text)
	else if (write.kind === 'delete') state.delete(write.name)
	else if (before === undefined) return
	else if (write.kind === 'append') state.set(write.name, before + write.text)
	else if (!state.has(write.to)) {
		state.delete(write.name)
		state.set(write.to, before)
	}
}

let writes = 0

/** Writes, and records the write in the same transaction, so that the order of records is that of the writes. */
async function perform(world: World, write: Write): Promise<void> {
	const record = `insert into dead_letters (id, queue, type, body, attempts, created_at) values ('write ${++writes}', '', '', ${quote(JSON.stringify(write))}, 0, 0)`
	try {
		await world.deps(async ({ db }) => {
			await db.batch([db.all(`${statementOf(write)} returning 1`), db.all(`${record} returning 1`)])
		})
	} catch (error) {
		// Whether it was written is in the record alone.
		if (!isDatabaseUnavailable(error)) throw error
	}
}

/** Repeats a read without a response in ten seconds, as may happen to one of hundreds on a slow machine. */
async function readAgain<T>(read: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await read()
		} catch (error) {
			if (!isDatabaseUnavailable(error)) throw error
		}
	}
}

const isUnfinished = (world: World): Promise<boolean> =>
	readAgain(async () => {
		const running = await world.deps(({ db }) => db.all("select 1 from backups where state = 'running'"))
		return running.length > 0
	})

const countWrites = async (world: World): Promise<number> => {
	const [row] = await world.deps(({ db }) => db.all<{ n: number }>('select count(*) as n from dead_letters'))
	return row?.n ?? 0
}

test('a backup has the state after one write, although many write while it is made', async () => {
	const world = await openWorld({ BACKUPS_ENABLED: 'true' })
	let owner: string | undefined
	for (const seed of seeds) {
		const chooser = chooserFrom(seed)
		const root = seed === 1 ? await world.person() : undefined
		if (root)
			await world.deps(({ db }) =>
				// Rows that are read long before and after the others, and no small database.
				db.all(
					"insert into data_keys (rowid, name, sealed, created_at) with n(i) as (select 1 union all select i + 1 from n where i < 900) select i * 100, 'name ' || i, hex(randomblob(900)), 0 from n returning 1",
				),
			)
		const initial = new Map(
			(
				await world.deps(({ db }) =>
					db.all<{ name: string; sealed: string }>('select name, sealed from data_keys'),
				)
			).map(({ name, sealed }) => [name, sealed]),
		)
		const before = await countWrites(world)
		owner ??= root?.token
		const { id } = (await world.ask(runBackup, {}, { token: owner as string })).ok.data
		let isRunning = true
		const writers = Array.from({ length: WRITERS }, async (_, writer) => {
			const own = chooserFrom(seed * 1_000 + writer)
			for (let at = 0; at < WRITES_EACH || (isRunning && at < MAX_WRITES_EACH); at++) {
				await perform(world, randomWrite(own))
				if (chooser.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, 1))
			}
		})
		let hasDied = false
		const dieOnce = (sql: string) => {
			if (hasDied || !sql.trimStart().startsWith('select seq, source')) return
			hasDied = true
			throw new Error('the Worker died')
		}
		let beforeLast = before
		while (await isUnfinished(world)) {
			const [step] = takeSteps(world)
			beforeLast = await countWrites(world)
			// Dies once between the tables and the changes, so that many rows change after they were read.
			if (step) await world.dieDuring(dieOnce, () => world.deliver([step], 'playhouse-bulk'))
			else {
				for (let at = 0; at < 100; at++) await perform(world, randomWrite(chooser))
				world.pass(STEP_LEASE_MS + 1)
				await world.deps(sweepBackups)
			}
		}
		isRunning = false
		await Promise.all(writers)

		const { rows, manifest } = await readBackup(world, id)
		const records = (rows.dead_letters ?? []).slice(before)
		const state = new Map(initial)
		for (const { body } of records) apply(state, JSON.parse(String(body)))
		const restored = new Map((rows.data_keys ?? []).map(({ name, sealed }) => [name, sealed]))
		expect({ seed, state: [...restored].toSorted() }).toEqual({ seed, state: [...state].toSorted() })
		expect(records.length + before).toBeGreaterThanOrEqual(beforeLast)
		// Otherwise nothing was written meanwhile, and the test would prove nothing.
		expect(hasDied).toBe(true)
		expect(records.length).toBeGreaterThan(0)
		for (const { name, rows: counted } of manifest.tables)
			expect([name, rows[name]?.length]).toEqual([name, counted])
		if (env.PROOF_SEEDS) console.log(`seed ${seed}: the state after ${records.length} writes`)
	}
})
