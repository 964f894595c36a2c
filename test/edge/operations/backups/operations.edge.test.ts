import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { strFromU8, unzipSync } from 'fflate'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#schema/contract/operations/installation/backups.ts'
import * as tables from '#schema/tables/index.ts'
import { deleteExpiredBackups } from '../../../../edge/operations/backups/keep/delete.ts'
import { CHUNKS, MANIFESTS, manifestObjectKey } from '../../../../edge/operations/backups/keys.ts'
import { leftOut } from '../../../../edge/operations/backups/run/left-out.ts'
import {
	startDailyBackup,
	startMissedBackup,
	sweepBackups,
} from '../../../../edge/operations/backups/start.ts'
import { parseEnv } from '../../../../edge/platform/env.ts'
import { queuePurges } from '../../../../edge/platform/storage/storage-purge.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { testVariables } from '../../../support/shared/variables.ts'
import { finishBackups, listTriggers, readBackup, takeSteps } from './backups-kit.ts'

let world: World
let root: Person
beforeEach(async () => {
	world = await openWorld({ BACKUPS_ENABLED: 'true' })
	root = await world.person()
	world.messages.length = 0
})

const run = (who: Person = root) => world.ask(contract.runBackup, {}, who)
const list = async () => (await world.ask(contract.listBackups, { query: {} }, root)).ok.data
const download = (backupId: string, who = root) =>
	world.ask(contract.createBackupDownload, { params: { backupId } }, who)
const stored = (prefix: string) =>
	world.deps(async ({ objects }) => (await objects.vault.list(prefix)).objects)
const write = (statement: string) => world.deps(({ db }) => db.all(statement))

async function makeBackup(): Promise<string> {
	const { id } = (await run()).ok.data
	await finishBackups(world)
	return id
}

/** Starts a backup that reads table by table, and stops it after its triggers were created. */
async function interruptBackup(): Promise<string> {
	await write(
		"insert into data_keys (rowid, name, sealed, created_at) values (5000, 'last', 'x', 0) returning 1",
	)
	const { id } = (await run()).ok.data
	const die = (sql: string) => {
		if (sql.includes('order by rowid limit')) throw new Error('the Worker died')
	}
	await world.dieDuring(die, () => finishBackups(world))
	return id
}

describe('the operations of backups', () => {
	test('superadmins alone use the operations of backups', { tags: 'd1' }, async () => {
		const backupId = await makeBackup()
		const other = await world.person()
		const params = { backupId }
		expect((await world.ask(contract.listBackups, { query: {} }, other)).status).toBe(403)
		expect((await run(other)).status).toBe(403)
		expect((await download(backupId, other)).status).toBe(403)
		expect((await world.ask(contract.deleteBackup, { params }, other)).status).toBe(403)
	})

	test('starts one backup at a time', async () => {
		const both = await Promise.all([run(), run()])
		expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
		expect(await list()).toMatchObject([{ state: 'running', finishedAt: null }])
		await finishBackups(world)
		expect((await run()).status).toBe(202)
	})

	test('the download of a backup is a zip of the stored objects, valid for 15 minutes', {
		tags: 'd1',
	}, async () => {
		const id = await makeBackup()
		const { downloadUrl, filename } = (await download(id)).ok.data
		expect(filename).toBe(`playhouse-${id}.zip`)
		const fetched = await world.fetch(new Request(downloadUrl))
		expect(fetched.headers.get('content-type')).toBe('application/zip')
		const files = unzipSync(new Uint8Array(await fetched.arrayBuffer()))
		const chunks = (await stored(`${CHUNKS}${id}/`)).map(({ key }) => key)
		expect(Object.keys(files)).toEqual(['manifest.json', ...chunks])
		const { manifest } = JSON.parse(strFromU8(files['manifest.json'] as Uint8Array))
		expect(manifest).toEqual((await readBackup(world, id)).manifest)
		// The address of one backup opens no other.
		const other = await makeBackup()
		expect((await world.fetch(new Request(downloadUrl.replace(id, other)))).status).toBe(403)
		world.pass(16 * 60_000)
		expect((await world.fetch(new Request(downloadUrl))).status).toBe(403)
	})

	test('a download URL of a backup is refused once its superadmin was demoted', async () => {
		const id = await makeBackup()
		const { downloadUrl } = (await download(id)).ok.data
		await write(`update users set is_superadmin = 0 where id = ${root.userId} returning 1`)
		expect((await world.fetch(new Request(downloadUrl))).status).toBe(403)
	})

	test('a download of a backup ends early if a chunk is missing', { tags: 'd1' }, async () => {
		const id = await makeBackup()
		const { downloadUrl } = (await download(id)).ok.data
		const [chunk] = await stored(`${CHUNKS}${id}/`)
		await world.deps(({ objects }) => objects.vault.delete(chunk?.key ?? ''))
		await expect(world.fetch(new Request(downloadUrl))).rejects.toThrow(`${chunk?.key} is missing`)
	})

	test('the download and the deletion of a backup need a recent proof', { tags: 'd1' }, async () => {
		const backupId = await makeBackup()
		world.pass(11 * 60_000)
		expect((await download(backupId)).code).toBe('reauthentication_required')
		const deletion = await world.ask(contract.deleteBackup, { params: { backupId } }, root)
		expect(deletion.code).toBe('reauthentication_required')
	})

	test('deleting a running backup ends it', { tags: 'd1' }, async () => {
		const backupId = (await run()).ok.data.id
		expect((await world.ask(contract.deleteBackup, { params: { backupId } }, root)).status).toBe(200)
		await finishBackups(world)
		expect(await list()).toEqual([])
		await world.deps(queuePurges)
		await world.deliver()
		expect(await stored('backups/')).toEqual([])
		await makeBackup()
	})

	test('deleting a backup deletes its objects', async () => {
		const backupId = await makeBackup()
		const remove = () => world.ask(contract.deleteBackup, { params: { backupId } }, root)
		expect((await stored('backups/')).length).toBe(2)
		expect((await remove()).status).toBe(200)
		expect((await remove()).status).toBe(404)
		await world.deps(queuePurges)
		await world.deliver()
		expect(await stored('backups/')).toEqual([])
		expect(await list()).toEqual([])
	})
})

describe('the nightly run', () => {
	test('each night a backup is made, and expired ones are deleted', { tags: 'd1' }, async () => {
		const old = await makeBackup()
		world.pass(8 * 24 * 3_600_000)
		for (let night = 0; night < 3; night++) {
			await world.cron('17 3 * * *')
			await finishBackups(world)
			world.pass(24 * 3_600_000)
		}
		root = { ...root, token: await world.logIn(root) }
		expect((await list()).map(({ reason, state }) => [reason, state])).toEqual([
			['daily', 'completed'],
			['daily', 'completed'],
			['daily', 'completed'],
			['requested', 'completed'],
		])
		world.set({ BACKUP_KEEP_DAYS: '8' })
		await world.deps(deleteExpiredBackups)
		expect((await list()).map(({ id }) => id)).not.toContain(old)
		expect(await world.deps(({ objects }) => objects.vault.head(manifestObjectKey(old)))).toBeNull()
	})

	test('a backup run whose lease was claimed while the clock was ahead resumes', async () => {
		await run()
		takeSteps(world)
		await write(`update backups set due_at = ${world.now + 400 * 24 * 3_600_000} returning 1`)
		await world.cron('* * * * *')
		expect(takeSteps(world)).toMatchObject([{ type: 'backup.continue' }])
	})

	test('a missed nightly backup is made later, and a failed one not at once', async () => {
		const sweep = async () => {
			await world.cron('*/10 * * * *')
			return takeSteps(world)
		}
		const start = world.now
		const at = (hours: number) => world.pass(start + hours * 3_600_000 - world.now)
		const [first] = await sweep()
		await world.deliver([first as never], 'playhouse-bulk')
		await finishBackups(world)
		at(24.9)
		expect(await sweep()).toEqual([])
		at(25.1)
		expect(await sweep()).toMatchObject([{ type: 'backup.continue' }])
		// It runs, and then it has failed.
		expect(await sweep()).toEqual([])
		await write(
			`update backups set state = 'failed', finished_at = ${start + 26 * 3_600_000} where state = 'running' returning 1`,
		)
		at(28.9)
		expect(await sweep()).toEqual([])
		at(29.1)
		expect(await sweep()).toMatchObject([{ type: 'backup.continue' }])
		await finishBackups(world)
	})

	test.each([{ BACKUPS_ENABLED: 'false' }, { AUTH_SECRET: undefined }])(
		'each night no backup is made with %o',
		async (vars) => {
			world.set(vars)
			await world.deps(startDailyBackup)
			await world.deps(startMissedBackup)
			world.set({ AUTH_SECRET: testVariables.AUTH_SECRET })
			expect(await list()).toEqual([])
		},
	)

	test('backups in the vault that the database lacks are listed again', async () => {
		const id = await makeBackup()
		const [before] = await list()
		await write('delete from backups returning 1')
		expect(await list()).toEqual([])
		await world.deps(deleteExpiredBackups)
		expect(await list()).toEqual([{ ...before, finishedAt: before?.snapshotAt }])
		// Nobody else can add one.
		await world.deps(async ({ objects }) => {
			const found = await objects.vault.get(manifestObjectKey(id))
			const text = found.state === 'found' ? await new Response(found.body).text() : ''
			const forged = `bkp_${'0'.repeat(26)}`
			await objects.vault.put(manifestObjectKey(forged), text.replaceAll(id, forged))
		})
		await world.deps(deleteExpiredBackups)
		expect((await list()).map((backup) => backup.id)).toEqual([id])
		expect(await stored(MANIFESTS)).toHaveLength(2)
	})
})

describe('a backup that was requested in the database', () => {
	const request = () =>
		write(
			`insert into backups (id, reason, state, started_at, sealed_key, due_at) values ('bkp_${'0'.repeat(26)}', 'migration', 'running', ${world.now}, '', 0) returning 1`,
		)

	test('a backup requested in the database is made within a minute, with its own key, and audited', async () => {
		await request()
		await world.cron('* * * * *')
		const [step] = takeSteps(world)
		// The message may come twice.
		await world.deliver([step as never, step as never], 'playhouse-bulk')
		await finishBackups(world)
		const [backup] = await list()
		expect(backup).toMatchObject({ reason: 'migration', state: 'completed' })
		expect((await readBackup(world, backup?.id ?? '')).rows.users).toHaveLength(1)
		const entries = await world.deps(({ db }) =>
			db.all("select actor_kind, details from audit_log where action = 'backup.started'"),
		)
		expect(entries).toEqual([{ actor_kind: 'system', details: '{"reason":"migration"}' }])
	})

	test('a backup requested in the database fails without AUTH_SECRET', async () => {
		await request()
		world.set({ AUTH_SECRET: undefined })
		await world.cron('* * * * *')
		await finishBackups(world)
		world.set({ AUTH_SECRET: testVariables.AUTH_SECRET })
		expect(await list()).toMatchObject([{ state: 'failed', error: 'AUTH_SECRET is no longer set' }])
	})
})

describe('a backup run', () => {
	test('a backup run starts again if the schema changes', async () => {
		const id = await interruptBackup()
		expect(await listTriggers(world)).not.toEqual([])
		await write('create table added_meanwhile (a text)')
		try {
			world.pass(6 * 60_000)
			await world.deps(sweepBackups)
			await finishBackups(world)
			const { manifest } = await readBackup(world, id)
			expect(manifest.tables.map(({ name }) => name)).toContain('added_meanwhile')
		} finally {
			await write('drop table added_meanwhile')
		}
	})

	test('a backup run that always fails is given up, and leaves no trigger and no object', async () => {
		const id = await interruptBackup()
		const die = (sql: string) => {
			if (sql.includes('order by rowid limit')) throw new Error('the Worker died')
		}
		await world.dieDuring(die, async () => {
			for (let attempt = 0; attempt < 12; attempt++) {
				world.pass(6 * 60_000)
				await world.deps(sweepBackups)
				await finishBackups(world)
			}
		})
		root = { ...root, token: await world.logIn(root) }
		expect(await list()).toMatchObject([
			{ id, state: 'failed', error: 'one step failed too many times: the Worker died' },
		])
		expect(await listTriggers(world)).toEqual([])
		await world.deps(queuePurges)
		await world.deliver()
		expect(await stored('backups/')).toEqual([])
		expect((await run()).status).toBe(202)
	})

	test('the sweep drops the triggers of other backup runs, and the running one keeps its own', async () => {
		await interruptBackup()
		const own = await listTriggers(world)
		const [{ name } = { name: '' }] = own
		const dead = name.replace(/bkp_\w{26}/, `bkp_${'0'.repeat(26)}`)
		await write(
			`create trigger "${dead}" after insert on mails begin insert into backup_changes (source, row_id) select 'mails', new.rowid; end`,
		)
		await write(
			"create trigger of_somebody_else after insert on mails begin delete from mails where id = 'x'; end",
		)
		await world.deps(sweepBackups)
		expect(await listTriggers(world)).toEqual([...own, { name: 'of_somebody_else' }])
		await write('drop trigger of_somebody_else')
	})

	test('a backup run continues once if its message arrives twice', async () => {
		await run()
		const [step] = takeSteps(world)
		await world.deliver([step as never, step as never], 'playhouse-bulk')
		expect(await stored(CHUNKS)).toHaveLength(1)
	})
})

test('every table is in backups, or its absence has a reason', async () => {
	const known = Object.values(tables).flatMap((table) =>
		is(table, SQLiteTable) ? [getTableName(table)] : [],
	)
	// `npm start` creates this one itself, on libSQL (scripts/start/database-lease.ts).
	const lease = 'installation_lease'
	await world.deps(({ db }) => db.all(`create table ${lease} (id integer primary key, holder text)`))
	const { manifest } = await readBackup(world, await makeBackup())
	await world.deps(({ db }) => db.all(`drop table ${lease}`))
	const stored = manifest.tables.map(({ name }) => name)
	const decided = [...stored, ...Object.keys(leftOut)]
	expect(known.filter((name) => !decided.includes(name))).toEqual([])
	for (const [name, reason] of Object.entries(leftOut)) {
		expect([...known, lease]).toContain(name)
		expect(stored).not.toContain(name)
		expect(reason.length).toBeGreaterThan(10)
	}
})

test('backups are not kept for longer than erasures are remembered', () => {
	const start = (vars: object) => parseEnv({ ...world.bindings, ...vars })
	expect(() => start({ BACKUP_KEEP_DAYS: '366' })).toThrow(
		'BACKUP_KEEP_DAYS: must be at most ERASURE_LEDGER_DAYS',
	)
	expect(() => start({ BACKUP_KEEP_DAYS: '366', ERASURE_LEDGER_DAYS: '366' })).not.toThrow()
	expect(() => start({ ERASURE_LEDGER_DAYS: '30' })).not.toThrow()
})
