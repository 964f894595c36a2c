import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { execa } from 'execa'
import { unzipSync, zipSync } from 'fflate'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient as createApiClient } from '#schema/contract/kit/client.ts'
import {
	createBackupDownload,
	listBackups,
	runBackup,
} from '#schema/contract/operations/installation/backups.ts'
import { BACKUP_KEY, signManifest } from '../../../../edge/operations/backups/format/signed-manifest.ts'
import { leftOut } from '../../../../edge/operations/backups/run/left-out.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { readMigrations } from '../../../../scripts/lib/migrations.ts'
import { BackupFile } from '../../../../scripts/operate/restore/backup-file.ts'
import { compareWithBackup } from '../../../../scripts/operate/restore/compare.ts'
import { loadBackup } from '../../../../scripts/operate/restore/load.ts'
import { restoreBackup } from '../../../../scripts/operate/restore/restore.ts'
import { startLibsqlServer } from '../../../support/libsql/server.ts'
import { type RunningWorker, secretVars, startWorker } from '../../../support/shared/miniflare-worker.ts'

const secrets = deriveSecrets(secretVars.AUTH_SECRET)
/** Longer than a statement of D1 may be, with everything that must be quoted, and characters of four bytes. */
const longText = `it's "long"\n🎬\r;--\\`.repeat(60_000)

let worker: RunningWorker
let directory: string
let zip: string
let announcedBytes: number

beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'playhouse-restore-'))
	worker = await startWorker()
	const db = await worker.miniflare.getD1Database('DB')
	const names = (await readMigrations()).map(({ name }) => name)
	await db.batch([
		db.prepare(
			'create table d1_migrations (id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)',
		),
		...names.map((name) => db.prepare('insert into d1_migrations (name) values (?)').bind(name)),
		db
			.prepare('insert into data_keys (rowid, name, sealed, created_at) values (7000, ?, ?, 0)')
			.bind('long', longText),
		db.prepare(
			"insert into data_keys (rowid, name, sealed, created_at) values (0, 'zero', 'x', 0), (-3, 'negative', 'x', 0)",
		),
		db.prepare("insert into checkpoints (number, nonce, created_at) values (0, 'a', 0), (1, 'b', 1)"),
		db.prepare(
			"insert into mails (id, claimed_until, created_at) values ('', 9007199254740991, 0), ('NULL', 1, 0)",
		),
	])
	const api = createApiClient({ baseUrl: worker.url, fetch })
	const { data: account } = await api.call(signup, {
		body: { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' },
	})
	const root = createApiClient({ baseUrl: worker.url, fetch, token: account.token })
	const { data: backup } = await root.call(runBackup, {})
	const isCompleted = async () => (await root.call(listBackups, { query: {} })).data[0]?.state === 'completed'
	await vi.waitUntil(isCompleted, { timeout: 60_000, interval: 100 })
	const { data: download } = await root.call(createBackupDownload, { params: { backupId: backup.id } })
	zip = join(directory, download.filename)
	const downloaded = await fetch(download.downloadUrl)
	announcedBytes = Number(downloaded.headers.get('content-length'))
	await writeFile(zip, new Uint8Array(await downloaded.arrayBuffer()))
})
afterAll(async () => {
	await worker?.dispose()
	await rm(directory, { recursive: true, force: true })
})

type Query = (sql: string) => Promise<unknown[][]>

/** Reads every table that is in backups. */
async function readAll(query: Query): Promise<Record<string, unknown[][]>> {
	const names = await query(
		"select name from sqlite_master where type = 'table' and name not glob 'sqlite_*' and name not glob '_cf_*' order by name",
	)
	const tables: Record<string, unknown[][]> = {}
	for (const [name] of names)
		if (!Object.hasOwn(leftOut, String(name)))
			tables[String(name)] = await query(`select rowid, * from "${name}" order by rowid`)
	tables.schema = await query(
		"select type, name, sql from sqlite_master where sql is not null and name not glob '_cf_*' and name not glob 'sqlite_*' order by type, name",
	)
	tables.sequences = await query(
		"select name, seq from sqlite_sequence where name <> 'backup_changes' order by name",
	)
	return tables
}
const ofD1 =
	(db: D1): Query =>
	(sql) =>
		db.prepare(sql).raw() as Promise<unknown[][]>
type D1 = Awaited<ReturnType<Miniflare['getD1Database']>>
const ofLibsql =
	(url: string): Query =>
	async (sql) => {
		const client = createClient({ url })
		try {
			return (await client.execute(sql)).rows.map((row) => Array.from(row as ArrayLike<unknown>))
		} finally {
			client.close()
		}
	}
const source = async () => {
	const tables = await readAll(ofD1(await worker.miniflare.getD1Database('DB')))
	// The entry of the download came after the backup.
	tables.audit_log = (tables.audit_log ?? []).filter((row) => !row.includes('backup.downloaded'))
	// So that the installation repairs what was restored.
	tables.checkpoints = (tables.checkpoints ?? []).filter(([number]) => number !== 1)
	tables.sequences = tables.sequences?.filter(([name]) => name !== 'audit_log') ?? []
	return tables
}
const withoutLater = ({ sequences = [], ...tables }: Record<string, unknown[][]>) => ({
	...tables,
	sequences: sequences.filter(([name]) => name !== 'audit_log'),
})
const run = (...args: string[]) =>
	execa(process.execPath, ['scripts/operate/restore/main.ts', ...args], {
		env: secretVars,
		reject: false,
		all: true,
	})

test('the download of a backup announces its length, so that programs notice an early end', async () => {
	expect(announcedBytes).toBe((await stat(zip)).size)
})

describe('npm run operate -- restore', () => {
	test('restore fills a new database file that equals the source, and refuses one with tables', async () => {
		const into = `file:${join(directory, 'restored.db')}`
		const restored = await run(zip, '--into', into)
		expect(restored.all).toMatch(/rows restored; they equal those of the backup/)
		expect(withoutLater(await readAll(ofLibsql(into)))).toEqual(await source())
		expect((await stat(join(directory, 'restored.db'))).mode & 0o777).toBe(0o600)
		const again = await run(zip, '--into', into)
		expect([again.exitCode, again.all]).toEqual([1, expect.stringContaining('the target has tables')])
	})

	test('restore fills a database of a libSQL server', async () => {
		await using server = await startLibsqlServer()
		const client = createClient({ url: server.url })
		await restoreBackup({ path: zip, secrets, into: client })
		expect(withoutLater(await readAll(ofLibsql(server.url)))).toEqual(await source())
	})

	test('restore writes SQL that D1 accepts, without a statement that is too long for it', async () => {
		const path = join(directory, 'restored.sql')
		expect((await run(zip, '--sql', path)).exitCode).toBe(0)
		expect((await stat(path)).mode & 0o777).toBe(0o600)
		const statements = splitSql(await readFile(path, 'utf8'))
		expect(Math.max(...statements.map((statement) => Buffer.byteLength(statement)))).toBeLessThan(100_000)
		const miniflare = new Miniflare({
			...convertV4MiniflareOptions({ d1Databases: ['DB'], modules: true, script: 'export default {}' }),
			log: new Log(LogLevel.ERROR),
		})
		try {
			const db = await miniflare.getD1Database('DB')
			await db.batch(statements.map((statement) => db.prepare(statement)))
			expect(withoutLater(await readAll(ofD1(db)))).toEqual(await source())
		} finally {
			await miniflare.dispose()
		}
	})

	test('restore writes no SQL over a file, and leaves none if it fails', async () => {
		const folder = await mkdtemp(join(directory, 'sql-'))
		const path = join(folder, 'restored.sql')
		expect(await run('missing.zip', '--sql', path)).toMatchObject({ exitCode: 1 })
		expect(await readdir(folder)).toEqual([])
		await writeFile(path, 'of somebody else')
		// It is noticed before anything is restored.
		expect(await run('missing.zip', '--sql', path)).toMatchObject({
			exitCode: 1,
			all: expect.stringContaining(`${path} exists; delete it, or name another file`),
		})
		expect(await readFile(path, 'utf8')).toBe('of somebody else')
	})

	test('restore needs the AUTH_SECRET of the backup', async () => {
		const client = createClient({ url: ':memory:' })
		const other = deriveSecrets('another-secret-that-is-only-good-for-tests')
		await expect(restoreBackup({ path: zip, secrets: other, into: client })).rejects.toThrow(
			'another AUTH_SECRET',
		)
		await expect(restoreBackup({ path: zip, secrets, into: client, ledgerDays: 0 })).rejects.toThrow(
			'--any-age',
		)
		const both = deriveSecrets('another-secret-that-is-only-good-for-tests', secretVars.AUTH_SECRET)
		const backup = await BackupFile.open(zip, { secrets: both })
		await backup.close()
	})
})

describe('a backup for a recipient', () => {
	const path = () => join(directory, 'for-recipient.zip')
	const keyFile = () => join(directory, 'key.txt')

	beforeAll(async () => {
		const identity = await generateX25519Identity()
		const files = unzipSync(new Uint8Array(await readFile(zip)))
		const { manifest, sealedKey } = JSON.parse(new TextDecoder().decode(files['manifest.json']))
		const dataKey = (await secrets.unseal(BACKUP_KEY, sealedKey, manifest.id)) ?? ''
		const stored = await signManifest(secrets, dataKey, manifest, await identityToRecipient(identity))
		files['manifest.json'] = new TextEncoder().encode(JSON.stringify(stored))
		await writeFile(path(), zipSync(files, { level: 0 }))
		await writeFile(keyFile(), `# created: 2026-11-26\n# public key: age1…\n${identity}\n`)
	})

	test('a backup for a recipient is restored with the identity', async () => {
		const restored = await run(path(), '--sql', join(directory, 'identity.sql'), '--identity', keyFile())
		expect(restored.all).toMatch(/rows restored; they equal those of the backup/)
		expect(restored.all).not.toMatch(/AUTH_SECRET/)
	})

	test('a backup for a recipient is restored without AUTH_SECRET only with --any-origin', async () => {
		const args = [path(), '--sql', join(directory, 'origin.sql'), '--identity', keyFile()]
		const runWithout = (...more: string[]) =>
			execa(process.execPath, ['scripts/operate/restore/main.ts', ...args, ...more], {
				env: { ...secretVars, AUTH_SECRET: '' },
				...{ all: true, reject: false },
			})
		const refused = await runWithout()
		expect([refused.exitCode, refused.all]).toEqual([2, expect.stringContaining('--any-origin')])
		const { all, exitCode } = await runWithout('--any-origin')
		expect([exitCode, all]).toEqual([0, expect.stringContaining('it is unknown whether this backup is of')])
	})

	test('a backup for a recipient is restored under another AUTH_SECRET only with --any-origin', async () => {
		const args = [path(), '--sql', join(directory, 'any-origin.sql'), '--identity', keyFile()]
		const runElsewhere = (...more: string[]) =>
			execa(process.execPath, ['scripts/operate/restore/main.ts', ...args, ...more], {
				env: { AUTH_SECRET: 'the secret of another installation, long enough' },
				...{ all: true, reject: false },
			})
		const refused = await runElsewhere()
		expect([refused.exitCode, refused.all]).toEqual([1, expect.stringContaining('add --any-origin')])
		const restored = await runElsewhere('--any-origin')
		expect([restored.exitCode, restored.all]).toEqual([0, expect.stringContaining('it is unknown whether')])
	})

	test.each([
		['no identity', null, /is encrypted to age1\w+; give the file/],
		['another identity', async () => generateX25519Identity(), /this identity is another one/],
		['a recipient', async () => identityToRecipient(await generateX25519Identity()), /contains a recipient/],
		['a typo', async () => 'AGE-SECRET-KEY-1TYPO', /has a line that is no age identity/],
		['an empty file', async () => '# nothing', /has no identity/],
		['an encrypted file', async () => '-----BEGIN AGE ENCRYPTED FILE-----', /is encrypted itself/],
		['no file', async () => null, /can't be read \(ENOENT\)/],
	])('a backup for a recipient is rejected with %s', async (name, makeText, message) => {
		const file = join(directory, `${name}.txt`)
		const text = await makeText?.()
		if (typeof text === 'string') await writeFile(file, text)
		const args = makeText ? ['--identity', file] : []
		const { exitCode, all } = await run(path(), '--sql', join(directory, 'none.sql'), ...args)
		expect([exitCode, all]).toEqual([1, expect.stringMatching(message)])
		expect(all).not.toMatch(/SECRET-KEY-1TYPO/)
	})
})

/** Splits at the ends of lines that are not within a text. */
function splitSql(text: string): string[] {
	const statements: string[] = []
	let start = 0
	let isText = false
	for (let at = 0; at < text.length; at++) {
		if (text[at] === "'") isText = !isText
		if (isText || text[at] !== ';' || text[at + 1] !== '\n') continue
		statements.push(text.slice(start, at))
		start = at + 2
	}
	return statements
}

describe('a damaged backup', () => {
	type Files = Record<string, Uint8Array>

	async function restoreChanged(change: (files: Files, chunks: string[]) => void): Promise<void> {
		const files = unzipSync(new Uint8Array(await readFile(zip)))
		change(
			files,
			Object.keys(files).filter((name) => name !== 'manifest.json'),
		)
		const path = join(directory, `${crypto.randomUUID()}.zip`)
		await writeFile(path, zipSync(files, { level: 0 }))
		await restoreBackup({ path, secrets, into: createClient({ url: ':memory:' }) })
	}
	const changeManifest = (files: Files, change: (stored: { manifest: Record<string, never> }) => void) => {
		const stored = JSON.parse(new TextDecoder().decode(files['manifest.json']))
		change(stored)
		files['manifest.json'] = new TextEncoder().encode(JSON.stringify(stored))
	}

	test('an unchanged backup is restored', async () => {
		await restoreChanged(() => {})
	})

	test('a flipped bit anywhere in a chunk makes the restore fail', async () => {
		const [{ length = 0 } = {}] = await restoreSizes()
		for (const at of [0, 12, Math.floor(length / 2), length - 1])
			await expect(
				restoreChanged((files, [chunk = '']) => {
					const bytes = files[chunk] as Uint8Array
					bytes[at] = (bytes[at] ?? 0) ^ 1
				}),
			).rejects.toThrow('chunk 0 is not the one that the manifest lists')
	})

	const restoreSizes = async () =>
		Object.entries(unzipSync(new Uint8Array(await readFile(zip))))
			.filter(([name]) => name !== 'manifest.json')
			.map(([, bytes]) => bytes)

	test('a missing, a swapped and a repeated chunk each make the restore fail', async () => {
		await expect(restoreChanged((files, [chunk = '']) => void delete files[chunk])).rejects.toThrow(
			'the file has no backups/chunks/',
		)
		const swap = (files: Files, a: string, b: string) =>
			Object.assign(files, { [a]: files[b], [b]: files[a] })
		await expect(restoreChanged((files, [a = '', b = '']) => swap(files, a, b))).rejects.toThrow(
			'chunk 1 is not the one',
		)
		await expect(
			restoreChanged((files, [a = '', b = '']) => Object.assign(files, { [b]: files[a] })),
		).rejects.toThrow('chunk 1 is not the one')
	})

	test('a restore fails if the manifest is changed to match damaged chunks', async () => {
		for (const change of [
			(manifest: { chunks: object[] }) => manifest.chunks.reverse(),
			(manifest: { chunks: object[] }) => manifest.chunks.pop(),
			(manifest: { schema: string[] }) => manifest.schema.push('drop table users'),
		])
			await expect(
				restoreChanged((files) => changeManifest(files, ({ manifest }) => void change(manifest as never))),
			).rejects.toThrow('the manifest was changed')
	})

	test('a restore fails at its end if the rows differ from the backup', async () => {
		const client = createClient({ url: ':memory:' })
		const backup = await BackupFile.open(zip, { secrets })
		const loaded = await loadBackup(client, backup)
		const compare = () => compareWithBackup(client, backup.manifest, loaded)
		await compare()
		await client.execute("update users set name = 'Eve'")
		await expect(compare()).rejects.toThrow('the restored rows of users differ')
		await client.execute('delete from users')
		await expect(compare()).rejects.toThrow('users has 0 rows')
		await backup.close()
	})
})
