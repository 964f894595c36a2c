import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { execa } from 'execa'
import { expect, test, vi } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import {
	createBackupDownload,
	listBackups,
	runBackup,
} from '#schema/contract/operations/installation/backups.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { openDataDirectory } from '../../../../scripts/lib/installation/data-directory.ts'
import { readMigrations } from '../../../../scripts/lib/migrations.ts'
import { listFormerDatabases } from '../../../../scripts/operate/restore/local.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'
import { type RunningWorker, secretVars, startWorker } from '../../../support/shared/miniflare-worker.ts'

const ada = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }

const everyMinute = ({ url }: RunningWorker) =>
	fetch(`${url}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: '* * * * *' })}`)
const clientOf = ({ url: baseUrl }: RunningWorker, token?: string) =>
	createClient({ baseUrl, fetch, ...(token && { token }) })
/** `npm start` records the migrations that it applies. */
async function recordMigrations({ miniflare }: RunningWorker): Promise<void> {
	const db = await miniflare.getD1Database('DB')
	const names = (await readMigrations()).map(({ name }) => name)
	await db.batch([
		db.prepare(
			'create table d1_migrations (id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)',
		),
		...names.map((name) => db.prepare('insert into d1_migrations (name) values (?)').bind(name)),
	])
}
const titlesIn = (path: string) => {
	using db = new DatabaseSync(path)
	return db
		.prepare('select title from assets order by title')
		.all()
		.map(({ title }) => title)
}

test('npm run operate -- restore --into local puts a backup in place, and the installation repairs it', async () => {
	const dataDir = await temporaryDirectory()
	const storage = join(dataDir, 'storage')
	await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(secretVars), { mode: 0o600 })
	const zip = join(dataDir, 'backup.zip')
	const restore = () =>
		execa(process.execPath, ['scripts/operate/restore/main.ts', zip, '--into', 'local'], {
			env: { DATA_DIR: dataDir, AUTH_SECRET: '' },
			reject: false,
			all: true,
		})

	await using before = await startWorker({ persistTo: storage })
	await recordMigrations(before)
	await everyMinute(before)
	const { data: account } = await clientOf(before).call(signup, { body: ada })
	const root = clientOf(before, account.token)
	const params = { orgId: account.org.id }
	const { data: key } = await root.call(createApiKey, { params, body: { name: 'cam', scopes: ['write'] } })
	await clientOf(before, key.key).call(createAsset, { body: { title: 'Before' } })
	const { data: backup } = await root.call(runBackup, {})
	const isCompleted = async () => (await root.call(listBackups, { query: {} })).data[0]?.state === 'completed'
	await vi.waitUntil(isCompleted, { timeout: 60_000, interval: 100 })
	const { data: download } = await root.call(createBackupDownload, { params: { backupId: backup.id } })
	await writeFile(zip, new Uint8Array(await (await fetch(download.downloadUrl)).arrayBuffer()))
	await root.call(createAsset, { body: { title: 'After' } })
	await root.call(deleteApiKey, { params: { ...params, keyId: key.id } })
	await everyMinute(before)
	await before.dispose()

	const running = await openDataDirectory(dataDir)
	const refused = await restore()
	running[Symbol.dispose]()
	expect([refused.exitCode, refused.all]).toEqual([1, expect.stringContaining('used by another running')])
	const restored = await restore()
	expect([restored.exitCode, restored.all]).toEqual([0, expect.stringContaining('they equal those')])

	const folder = join(storage, 'd1', 'miniflare-D1DatabaseObject')
	const current = join(folder, (await readdir(folder)).find((name) => /^\w{64}\.sqlite$/.test(name)) ?? '')
	const [, kept = ''] = /The former database is (\S+)/.exec(restored.all) ?? []
	expect(restored.all).toContain('Delete this file once the restored database is good.')
	expect(await listFormerDatabases(dataDir)).toEqual([{ path: kept, replacedAt: expect.any(Number) }])
	expect([titlesIn(current), titlesIn(kept)]).toEqual([['Before'], ['After', 'Before']])

	await using after = await startWorker({ persistTo: storage })
	const answer = () => clientOf(after).call(login, { body: { email: ada.email, password: ada.password } })
	await expect(answer()).rejects.toMatchObject({ status: 503 })
	await vi.waitUntil(
		async () => {
			await everyMinute(after)
			return answer().then(
				() => true,
				() => false,
			)
		},
		{ timeout: 60_000, interval: 100 },
	)
	const title = (token: string) => clientOf(after, token).call(createAsset, { body: { title: 'Later' } })
	await expect(title(key.key)).rejects.toMatchObject({ status: 401 })
	await expect(title(account.token)).rejects.toMatchObject({ status: 401 })
	await title((await answer()).data.token)
	await after.dispose()

	const [wayBack = ''] = /^ {2}rm -f .*\n {2}mv .*$/m.exec(restored.all) ?? []
	await execa('sh', ['-ec', wayBack])
	await using again = await startWorker({ persistTo: storage })
	await again.miniflare.ready
	expect(titlesIn(current)).toEqual(['After', 'Before'])
})

test('npm run operate -- restore --into local prints what is missing', async () => {
	const dataDir = await temporaryDirectory()
	const restore = (env: Record<string, string>) =>
		execa(process.execPath, ['scripts/operate/restore/main.ts', 'x.zip', '--into', 'local'], {
			env: { DATA_DIR: dataDir, ...env },
			reject: false,
			all: true,
		})
	expect((await restore({})).all).toContain(`there is no database in ${dataDir}; run npm start once`)
	expect((await restore({ LIBSQL_URL: 'http://localhost:8080' })).all).toContain('LIBSQL_URL is set')
	expect(await readdir(dataDir)).toEqual([])
})
