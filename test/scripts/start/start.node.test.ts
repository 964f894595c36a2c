import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { explainFailure } from '../../../scripts/lib/installation/failure.ts'
import { root } from '../../../scripts/lib/root.ts'
import { launchCommand, startPlayhouse } from '../../support/node/playhouse-process.ts'
import { invalidHosts, sendRaw } from '../../support/node/raw-request.ts'
import { temporaryDirectory } from '../../support/node/temporary-directory.ts'
import { needs } from '../../support/shared/needs.ts'
import { propertyRuns } from '../../support/shared/property-runs.ts'

const person = { email: 'first@example.com', password: 'correct-horse-battery', name: 'First' }
const post = (url: string, body: object) =>
	fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

test('npm start becomes ready, stops with code 0, and keeps its data', async () => {
	const DATA_DIR = join(await temporaryDirectory(), 'data')
	const first = startPlayhouse({ DATA_DIR })
	const firstUrl = await first.url
	expect((await fetch(`${firstUrl}/health/ready`)).status).toBe(200)
	expect(first.output()).toMatch(/Migrations applied: \d+\n/)
	expect(first.output()).toContain(`${firstUrl}/v1/auth/signup`)
	expect((await post(`${firstUrl}/v1/auth/signup`, person)).status).toBe(201)
	expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700)
	const secrets = await readFile(join(DATA_DIR, 'secrets.json'), 'utf8')
	// Unsent mails are on the console and in the browser, at an address that strangers don't know.
	const secret = (await readFile(join(DATA_DIR, 'mailbox-secret'), 'utf8')).trim()
	expect((await stat(join(DATA_DIR, 'mailbox-secret'))).mode & 0o777).toBe(0o600)
	expect(first.output()).toContain(`${firstUrl}/_dev/mail/${secret} (codes and links`)
	await expect
		.poll(async () => (await fetch(`${firstUrl}/_dev/mail/${secret}`)).text(), { timeout: 60_000 })
		.toContain(person.email)
	expect((await fetch(`${firstUrl}/_dev/mail`)).status).toBe(404)
	expect(first.output()).toContain('Your code to verify your email address')
	const page = await fetch(firstUrl, { headers: { accept: 'text/html' } })
	expect(await page.text()).not.toContain('_dev')
	first.kill('SIGTERM')
	expect(await first.exitCode).toBe(0)

	const second = startPlayhouse({ DATA_DIR, LOG_FORMAT: 'json' }, '--no-daemon')
	const secondUrl = await second.url
	expect(second.output()).not.toContain('Migrations applied')
	expect(second.output()).toContain(`${secondUrl}/v1/auth/login`)
	expect(
		(await post(`${secondUrl}/v1/auth/login`, { email: person.email, password: person.password })).status,
	).toBe(200)
	expect(await readFile(join(DATA_DIR, 'secrets.json'), 'utf8')).toBe(secrets)
	second.kill('SIGINT')
	expect(await second.exitCode).toBe(0)
	for (const line of second.output().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('message')
	for (const { output } of [first, second])
		expect(output()).not.toMatch(/heartbeat|claimed|"message":"request"/)
})

test('npm start prints a sign-up command that works when copied from a pipe', async () => {
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory() }, '--no-daemon')
	await playhouse.url
	await expect.poll(playhouse.output).toContain('Ctrl-C stops everything.')
	expect(playhouse.output()).not.toMatch(/^\{"/m)
	const command = /^ {2}(curl .*)$/m.exec(playhouse.output())?.[1] ?? ''
	const { stdout } = await promisify(execFile)('bash', ['-c', command])
	expect(JSON.parse(stdout)).toMatchObject({
		data: { user: { email: 'you@example.com', isSuperadmin: true } },
	})
})

test('a second npm start on the same data is rejected while the first one runs', async () => {
	const DATA_DIR = await temporaryDirectory()
	const first = startPlayhouse({ DATA_DIR }, '--no-daemon')
	await first.url
	const second = startPlayhouse({ DATA_DIR }, '--no-daemon')
	expect(await second.exitCode).toBe(1)
	expect(second.output()).toMatch(/^DATA_DIR: .* is used by another running Playhouse.*\n$/)
})

test('a killed npm start leaves no process that responds or locks the data', async () => {
	const DATA_DIR = await temporaryDirectory()
	const first = startPlayhouse({ DATA_DIR })
	const url = await first.url
	first.kill('SIGKILL')
	// The output closes when the server, which also holds it, has ended.
	await first.exitCode
	const answer = () =>
		fetch(url).then(
			({ status }) => status,
			() => 'none',
		)
	await expect.poll(answer).toBe('none')
	const second = startPlayhouse({ DATA_DIR }, '--no-daemon')
	await second.url
})

async function listen(): Promise<{ server: Server; port: string }> {
	const server = createServer()
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => void server.close())
	const address = server.address()
	return { server, port: String(typeof address === 'object' && address?.port) }
}

test('npm start reports a used port in one line and exits with 1', async () => {
	const { port } = await listen()
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory(), PORT: port })
	expect(await playhouse.exitCode).toBe(1)
	expect(playhouse.output()).toMatch(new RegExp(`^port ${port} on 127.0.0.1 is used by another program.*\n$`))
})

test('npm start reports a file at DATA_DIR or above it in one line and exits with 1', async () => {
	const file = join(await temporaryDirectory(), 'file')
	await writeFile(file, '')
	for (const DATA_DIR of [file, join(file, 'below')]) {
		const playhouse = startPlayhouse({ DATA_DIR })
		expect(await playhouse.exitCode).toBe(1)
		expect(playhouse.output()).toBe(
			`DATA_DIR: ${file} is not a directory; remove it, or set DATA_DIR to another folder\n`,
		)
	}
})

test('npm start reports a DATA_DIR on a file system without folders in one line and exits with 1', async () => {
	const playhouse = startPlayhouse({ DATA_DIR: '/proc/playhouse' })
	expect(await playhouse.exitCode).toBe(1)
	expect(playhouse.output()).toMatch(/^\/proc\/playhouse can't be created there; .*\n$/)
})

test(
	'npm start reports a read-only DATA_DIR in one line and exits with 1',
	needs({ 'a user other than root (root can write everywhere)': process.getuid?.() !== 0 }),
	async () => {
		const DATA_DIR = join(await temporaryDirectory(), 'data')
		await mkdir(DATA_DIR, { mode: 0o500 })
		const playhouse = startPlayhouse({ DATA_DIR })
		expect(await playhouse.exitCode).toBe(1)
		expect(playhouse.output()).toMatch(/^no permission: .*\n$/)
	},
)

test.each([
	[{ PORT: 'http' }, /^PORT: must be a number .*\n$/],
	[{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL: must be one of debug, info, warn, error, not loud\n$/],
	[{ HOST: '203.0.113.1' }, /^HOST: 203.0.113.1 is not an address of this machine.*\n$/],
	[{ AUTH_SECRET: 'short' }, /^AUTH_SECRET: needs at least 32 characters.*\n$/],
	[{ FFMPEG_PATH: '/nowhere/ffmpeg' }, /^FFMPEG_PATH: \/nowhere\/ffmpeg is not an executable file.*\n$/],
])('npm start rejects %o in one line', async (env: Record<string, string>, line) => {
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory(), ...env })
	expect(await playhouse.exitCode).toBe(1)
	expect(playhouse.output()).toMatch(line)
})

test('npm start rejects an unknown option in one line, and lists all options with --help', async () => {
	const wrong = startPlayhouse({}, '--no-such')
	expect(await wrong.exitCode).toBe(1)
	expect(wrong.output()).toMatch(/^.*--no-such.*--help\n$/)
	const help = startPlayhouse({}, '--help')
	expect(await help.exitCode).toBe(0)
	expect(help.output()).toContain('--no-daemon')
	expect(help.output()).toContain('SMTP_URL')
})

test('npm start passes variables of DATA_DIR/.env to the Worker, unless the environment overrides them', async () => {
	const DATA_DIR = await temporaryDirectory()
	await writeFile(join(DATA_DIR, '.env'), 'REGISTRATION_ENABLED=false\nPORT=1\n')
	const playhouse = startPlayhouse({ DATA_DIR, TRUST_PROXY: 'true', LOG_FORMAT: 'pretty' }, '--no-daemon')
	const url = await playhouse.url
	expect((await post(`${url}/v1/auth/signup`, person)).status).toBe(403)
	// Production has neither an API reference nor a mailbox, so it makes no secret for an address.
	await expect(stat(join(DATA_DIR, 'mailbox-secret'))).rejects.toMatchObject({ code: 'ENOENT' })
	for (const path of ['/_dev/reload.js', '/_dev/version', '/reference'])
		expect([path, (await fetch(url + path)).status]).toEqual([path, 404])
	const seed = launchCommand(root, 'seed', {}, '--url', url)
	expect(await seed.exitCode).toBe(1)
	expect(seed.output()).toMatch(/is in production.*--force/)
	expect(playhouse.output()).toMatch(/\nPlayhouse is at /)
	expect(playhouse.output()).not.toMatch(/\/_dev|\/reference/)
})

test('a malformed request gets no 5xx response, and no failure is logged', async () => {
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory() }, '--no-daemon')
	const url = new URL(await playhouse.url)
	const part = fc.oneof(
		fc.constantFrom(
			'GET',
			'POST',
			'CONNECT',
			'TRACE',
			' ',
			'/',
			'*',
			'HTTP/1.1',
			'\r\n',
			'Host:',
			'a',
			'[',
			'%',
		),
		fc.constantFrom('Content-Length: 5', 'Transfer-Encoding: chunked', 'MF-CF-Blob: {', 'Upgrade: websocket'),
		fc.string({ unit: 'binary-ascii', maxLength: 20 }),
	)
	const head = fc.tuple(
		fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'CONNECT', 'TRACE'),
		fc.oneof(fc.constantFrom('/', '//', '/%', 'http://[', '*', '/page'), fc.webPath()),
		fc.array(
			fc.tuple(
				fc.constantFrom(
					'Host',
					'MF-Original-URL',
					'MF-Route-Override',
					'X-Forwarded-Proto',
					'Expect',
					'Range',
					'Upgrade',
				),
				fc.oneof(fc.constantFrom(...invalidHosts), fc.string({ unit: 'binary-ascii', maxLength: 20 })),
			),
			{ maxLength: 4 },
		),
	)
	const asText = ([method, target, headers]: [string, string, [string, string][]]) =>
		`${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}Connection: close\r\n\r\n`
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				fc.array(part).map((parts) => parts.join('')),
				head.map(asText),
			),
			async (text) => {
				expect(await sendRaw(url, text)).not.toMatch(/^HTTP\/1.1 5(?!01 )/)
			},
		),
		{ numRuns: propertyRuns(150) },
	)
	expect((await fetch(new URL('/health/ready', url))).status).toBe(200)
	expect(playhouse.output()).not.toMatch(/uncaught|"failed"/i)
})

test.each(['ENOSPC', 'EDQUOT'])('npm start reports a full disk (%s) in one line', (code) => {
	const error = Object.assign(new Error(`${code}: write`), { code, path: '/data/secrets.json' })
	expect(explainFailure(error)).toMatch(/^no space left: \/data\/secrets.json can't be written;.*$/)
})

test('npm start prints the stack of a bug', () => {
	expect(explainFailure(new TypeError('x is not a function'))).toBeUndefined()
})
