import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { temporaryDirectory } from '../../../support/node/temporary-directory.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

let worker: RunningWorker
let token: string

beforeAll(async () => {
	worker = await startWorker()
	const client = createClient({ baseUrl: worker.url, fetch })
	const account = { email: 'root@example.org', password: 'correct horse battery', name: 'Root' }
	const { data } = await client.call(signup, { body: account })
	token = data.token
	await client.call(createApiKey, { params: { orgId: data.org.id }, body: { name: 'k' } }, { token })
})
afterAll(() => worker?.dispose())

const run = (args: string[], env: Record<string, string> = {}) =>
	execa(process.execPath, ['scripts/operate/audit-verify.ts', ...args], {
		env: { PLAYHOUSE_URL: worker.url, PLAYHOUSE_TOKEN: token, ...env },
		reject: false,
		all: true,
	})

test('audit-verify verifies an installation and a saved file, and names the first changed row', async () => {
	const file = join(await temporaryDirectory(), 'chain.ndjson')
	await (await worker.miniflare.getWorker()).scheduled({ cron: '* * * * *' })
	const unchanged = '3 rows are unchanged. 1 hashes in the vault match; 0 rows are not sealed yet'
	const saved = await run(['--save', file])
	expect(saved).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(unchanged) })
	const offline = { PLAYHOUSE_TOKEN: '', PLAYHOUSE_URL: 'http://127.0.0.1:9' }
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining(unchanged),
	})

	const db = await worker.miniflare.getD1Database('DB')
	const read = 'select actor_user_id, actor_email, ip_address, actor_salt from audit_log where position = 1'
	const actor = Object.values((await db.prepare(read).first()) ?? {})
	const write = db.prepare(
		'update audit_log set actor_user_id = ?, actor_email = ?, ip_address = ?, actor_salt = ? where position = 1',
	)
	await write.bind(null, null, null, null).run()
	// Whoever can blank a row can forge an account deletion as well.
	await db.exec(
		`insert into account_deletion_requests (id, status, delete_content, requested_at, scheduled_for, completed_at, due_at) values ('del_forged', 'completed', 0, 1, 1, ${Date.now()}, 1)`,
	)
	expect(await run([])).toMatchObject({
		exitCode: 1,
		stderr: expect.stringMatching(
			/^Problem at row 1 .* removed by hand: the vault knows of no account deletion\./,
		),
	})
	const older = await startOlderInstallation(worker.url)
	onTestFinished(older.close)
	expect(await run([], { PLAYHOUSE_URL: older.url })).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining('This installation is too old to show whether these people were erased'),
	})
	await write.bind(...actor).run()
	// The file still has the whole chain.
	const whole = await readFile(file, 'utf8')
	const nobody = { userId: null, email: null, ipAddress: null, salt: null }
	const lines = whole
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line))
	for (const line of lines) if (line.row?.position === 1) line.row.actor = nobody
	await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining(
			'A file does not show whether these people were erased with their accounts',
		),
	})
	await writeFile(file, whole)

	await db.exec("update audit_log set action = 'org.updated' where position = 2")
	const changed = await run([])
	expect(changed).toMatchObject({
		exitCode: 1,
		stderr: expect.stringMatching(/^Problem at row 2 \(aud_.*action/),
	})
	expect(changed.stderr).toContain('Rows before it that are unchanged: 1.')

	await db.exec('delete from audit_seals')
	await (await worker.miniflare.getWorker()).scheduled({ cron: '* * * * *' })
	const rebuilt = await run([])
	expect(rebuilt).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the chain was rebuilt') })
	expect(rebuilt.stderr).toContain('Rows before it that are unchanged: 0.')

	await db.exec('delete from audit_seals where position > 1; delete from audit_log where position > 1')
	expect(await run([])).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining('rows are missing at the end'),
	})

	await db.exec('delete from audit_seals; update audit_log set created_at = created_at - 11 * 60 * 1000')
	const unsealed = await run([])
	expect(unsealed).toMatchObject({
		exitCode: 1,
		stderr: expect.stringMatching(/^Problem at row 1 .*not sealed/),
	})
	expect(unsealed.stderr).toContain('Rows before it that are unchanged: 0.')

	const text = await readFile(file, 'utf8')
	await writeFile(file, text.replace('superadmin.granted', 'org.updated'))
	expect(await run(['--file', file], offline)).toMatchObject({ exitCode: 1 })
	const [, ...undated] = text.split('\n')
	await writeFile(file, undated.join('\n'))
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 2,
		all: expect.stringContaining('does not begin with the time of saving'),
	})
	await writeFile(file, text.replace(/"seal":\{[^}]*\}/g, '"seal":null').replace(/\{"head".*\n/, ''))
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining(
			'0 rows are unchanged. 0 hashes in the vault match; 3 rows are not sealed',
		),
	})
	const later = text.replace(/"readAt":(\d+)/, (_, at) => `"readAt":${Number(at) + 11 * 60_000}`)
	await writeFile(file, later.replace(/"seal":\{[^}]*\}/g, '"seal":null').replace(/\{"head".*\n/, ''))
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 1,
		stderr: expect.stringContaining('not sealed'),
	})
	await writeFile(file, `${text}not a row\n`)
	expect(await run(['--file', file], offline)).toMatchObject({
		exitCode: 2,
		all: expect.stringContaining('line 6 is not a line that --save writes'),
	})
})

/** Starts a proxy of an installation that removes from responses what older ones lack. */
async function startOlderInstallation(newer: string) {
	const server = createServer(async ({ url = '', headers }, response) => {
		const { authorization = '' } = headers
		const page = await fetch(new URL(url, newer), { headers: { authorization } })
		const { data } = (await page.json()) as { data: { erasureRecord?: unknown } }
		delete data.erasureRecord
		response.setHeader('content-type', 'application/json')
		response.end(JSON.stringify({ data }))
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close: () => void server.close(),
	}
}

test('audit-verify prints its help, and reports what it cannot read', async () => {
	expect(await run(['--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--file FILE') })
	expect(await run([], { PLAYHOUSE_TOKEN: 'wrong' })).toMatchObject({ exitCode: 2 })
	expect(await run([], { PLAYHOUSE_TOKEN: '' })).toMatchObject({ exitCode: 2 })
	expect(await run(['--file', '/nowhere/chain.ndjson'])).toMatchObject({ exitCode: 2 })
	expect(await run(['--file', 'a', '--save', 'b'])).toMatchObject({ exitCode: 2 })
})
