import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

let worker: RunningWorker
let superadmin: string
let ada: { token: string; id: number }

const password = 'correct horse battery'
const signUp = async (email: string) => {
	const { data } = await createClient({ baseUrl: worker.url, fetch }).call(signup, {
		body: { email, password, name: 'Ada' },
	})
	return { token: data.token, id: data.user.id }
}

beforeAll(async () => {
	worker = await startWorker()
	superadmin = (await signUp('root@example.org')).token
	ada = await signUp('ada@example.org')
})
afterAll(() => worker?.dispose())

const run = (name: string, args: string[], env: Record<string, string> = {}) =>
	execa(process.execPath, [`scripts/operate/${name}.ts`, ...args], {
		env: { PLAYHOUSE_URL: worker.url, PLAYHOUSE_TOKEN: superadmin, ...env },
		reject: false,
		all: true,
	})

const users = async () => {
	const db = await worker.miniflare.getD1Database('DB')
	const { results } = await db.prepare('select email from users order by id').all<{ email: string }>()
	return results.map(({ email }) => email)
}

test('reseal seals all rows of the installation and reports their number', async () => {
	const sealed = await run('reseal', [])
	expect(sealed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done: 0 resealed') })
	expect(await run('reseal', [], { PLAYHOUSE_TOKEN: ada.token })).toMatchObject({ exitCode: 1 })
	expect((await run('reseal', ['--help'])).stdout).toContain('AUTH_SECRET_PREVIOUS')
})

test('expedite-deletion deletes an account in seconds, and replay-erasures does after a restore', async () => {
	const expedited = await run('expedite-deletion', ['--email', 'ada@example.org'])
	expect(expedited).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining(`Deleting user ${ada.id}`),
	})
	await expect.poll(users).toEqual(['root@example.org'])
	const vault = await worker.miniflare.getR2Bucket('VAULT')
	const listEntries = async () => (await vault.list({ prefix: 'erasures/' })).objects.length
	await expect.poll(listEntries).toBe(1)

	// The state after a restored backup.
	const db = await worker.miniflare.getD1Database('DB')
	await db.exec(
		`insert into users (id, email, name, created_at, updated_at) values (${ada.id}, 'ada@example.org', 'Ada', 0, 0)`,
	)
	await db.exec('delete from erasure_ledger')
	const replayed = await run('replay-erasures', [])
	expect(replayed).toMatchObject({
		exitCode: 0,
		stdout: '1 entries read; 1 users were restored and are being deleted again.',
	})
	await expect.poll(users).toEqual(['root@example.org'])
})

test.each([
	['expedite-deletion', []],
	['expedite-deletion', ['--email', 'a@example.org', '--user', '1']],
	['expedite-deletion', ['--user', 'ada']],
])('%s rejects the arguments %j and points to --help', async (name, args) => {
	expect(await run(name, args)).toMatchObject({ exitCode: 2, all: expect.stringContaining('--help') })
})

test('the commands report errors without printing the token', async () => {
	const refused = await run('expedite-deletion', ['--user', '1'])
	expect(refused).toMatchObject({ exitCode: 1, all: expect.stringContaining('last superadmin') })
	expect((await run('expedite-deletion', ['--user', '4711'])).all).toContain('404')
	const unauthorized = await run('replay-erasures', [], { PLAYHOUSE_TOKEN: 'sesame-1234' })
	expect(unauthorized).toMatchObject({ exitCode: 1, all: expect.stringContaining('401') })
	expect(unauthorized.all).not.toContain('sesame')
	expect(await run('replay-erasures', [], { PLAYHOUSE_TOKEN: '' })).toMatchObject({ exitCode: 2 })
	expect((await run('replay-erasures', [], { PLAYHOUSE_URL: 'http://127.0.0.1:1' })).all).toContain(
		'is not reachable',
	)
	for (const name of ['expedite-deletion', 'replay-erasures'])
		expect(await run(name, ['--help'])).toMatchObject({
			exitCode: 0,
			stdout: expect.stringContaining('PLAYHOUSE_TOKEN'),
		})
})
