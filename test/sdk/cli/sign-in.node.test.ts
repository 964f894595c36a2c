import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type CommandLine, createOwner, openCommandLine, removeCommandLine } from './cli.node.ts'

let worker: RunningWorker
let ada: Awaited<ReturnType<typeof createOwner>>
let cli: CommandLine
beforeAll(async () => {
	worker = await startWorker()
	ada = await createOwner(worker.url, 'ada@example.org')
	cli = await openCommandLine()
})
afterAll(async () => {
	await removeCommandLine(cli)
	await worker?.dispose()
})

const keyFile = (profile: string) => join(cli.folder, 'config', 'playhouse', 'profiles', `${profile}.json`)

test('login stores the key that a person approved in a file for its owner, and whoami uses the key', async () => {
	const login = cli.start(['login', worker.url, '--profile', 'home', '--device-name', 'build-7'])
	const code = await new Promise<string>((resolve) => {
		let shown = ''
		login.stderr?.on('data', (chunk) => {
			shown += chunk
			const [, found] = /approve the code {2}(\S+)/.exec(shown) ?? []
			if (found) resolve(found)
		})
	})
	await ada.owner.deviceRequests.approve({ orgId: ada.org.id, userCode: code, scopes: ['read'] })
	expect(await login).toMatchObject({ exitCode: 0, stdout: '' })
	const { mode } = await stat(keyFile('home'))
	expect(mode & 0o777).toBe(0o600)
	const { stdout } = await cli.run('whoami', '--json')
	expect(JSON.parse(stdout)).toMatchObject({
		profile: 'home',
		key: 'build-7',
		scopes: ['read'],
		orgId: ada.org.id,
	})
})

test('login reads a key from stdin, and does not store a wrong key', async () => {
	const stored = await cli.start(['login', worker.url, '--with-key', '--json'], { input: `${ada.key}\n` })
	expect(stored.exitCode).toBe(0)
	expect(stored.stdout).not.toContain(ada.key)
	const { profile } = JSON.parse(String(stored.stdout))
	expect(JSON.parse(await readFile(keyFile(profile), 'utf8'))).toEqual({ url: worker.url, apiKey: ada.key })
	const wrong = `phk_live_${'0'.repeat(40)}`
	const refused = await cli.start(['login', worker.url, '--with-key', '--profile', 'wrong'], { input: wrong })
	expect(refused.exitCode).toBe(4)
	expect(refused.stderr).not.toContain(wrong)
	await expect(stat(keyFile('wrong'))).rejects.toThrow('ENOENT')
})

test('profiles ls marks the current profile, and profiles use changes it', async () => {
	for (const profile of ['one', 'two'])
		await cli.start(['login', worker.url, '--with-key', '--profile', profile], { input: ada.key })
	expect((await cli.run('profiles', 'use', 'one')).exitCode).toBe(0)
	const { stdout } = await cli.run('profiles', 'ls', '--json')
	const profiles = stdout.split('\n').map((line) => JSON.parse(line))
	expect(profiles.filter(({ current }) => current)).toEqual([{ name: 'one', url: worker.url, current: true }])
	expect((await cli.run('profiles', 'use', 'three')).exitCode).toBe(5)
	expect((await cli.run('logout', '--profile', 'two')).exitCode).toBe(0)
	expect((await cli.run('whoami', '--profile', 'two')).exitCode).toBe(4)
})

test('a key file that other users can read is refused with the command that protects the file', async () => {
	await cli.start(['login', worker.url, '--with-key', '--profile', 'open'], { input: ada.key })
	await chmod(keyFile('open'), 0o644)
	const { exitCode, stderr } = await cli.run('whoami', '--profile', 'open')
	expect([exitCode, stderr]).toEqual([
		1,
		`playhouse: other users can read ${keyFile('open')}, which contains a secret; run: chmod 600 '${keyFile('open')}'`,
	])
})

test('a corrupt key file is refused, and no part of the file is printed', async () => {
	await cli.start(['login', worker.url, '--with-key', '--profile', 'torn'], { input: ada.key })
	await writeFile(keyFile('torn'), ada.key)
	const { exitCode, stderr } = await cli.run('whoami', '--profile', 'torn')
	expect(exitCode).toBe(1)
	expect(stderr).toContain('is not valid JSON; remove the file and run the command again')
	expect(stderr).not.toContain(ada.key.slice(0, 12))
})

test('the key of the environment is used for the installation of the environment only', async () => {
	const env = { PLAYHOUSE_API_KEY: ada.key }
	const alone = await cli.start(['whoami'], { env })
	expect([alone.exitCode, alone.stderr]).toEqual([
		2,
		'playhouse: PLAYHOUSE_API_KEY is set without an installation; set PLAYHOUSE_URL, too',
	])
	const both = await cli.start(['whoami', '--json'], { env: { ...env, PLAYHOUSE_URL: worker.url } })
	expect(JSON.parse(String(both.stdout))).toMatchObject({ profile: null, key: 'test' })
	const elsewhere = await cli.run('whoami', '--profile', 'one', '--url', 'http://127.0.0.1:1')
	expect(elsewhere.exitCode).toBe(2)
})

test('a missing address is named where nobody can answer a question', async () => {
	const { exitCode, stderr } = await cli.run('login')
	expect([exitCode, stderr]).toEqual([
		2,
		'playhouse: the address of the installation is missing; run: playhouse login URL',
	])
})

test('a key for another host is not sent over http unless the option allows it', async () => {
	const options = { input: ada.key }
	const refused = await cli.start(['login', 'http://video.example.org', '--with-key'], options)
	expect([refused.exitCode, refused.stderr]).toEqual([
		2,
		'playhouse: http://video.example.org would get the credential unencrypted; use https, or add --allow-insecure-http',
	])
})
