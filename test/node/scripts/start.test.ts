import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { explainFailure } from '../../../scripts/start/failure.ts'
import { needs } from '../../shared/needs.ts'
import { startPlayhouse } from './playhouse-process.ts'
import { brokenHosts, say } from './raw-request.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const person = { email: 'first@example.com', password: 'correct-horse-battery', name: 'First' }
const post = (url: string, body: object) =>
	fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

test('a start is ready, stops with code 0, and the next one finds the data', async () => {
	const DATA_DIR = join(await temporaryDirectory(), 'data')
	const first = startPlayhouse({ DATA_DIR })
	const firstUrl = await first.url
	expect((await fetch(`${firstUrl}/health/ready`)).status).toBe(200)
	expect(first.output()).toContain('Migrations applied: 0000_init.sql')
	expect(first.output()).toContain(`${firstUrl}/v1/auth/signup`)
	expect((await post(`${firstUrl}/v1/auth/signup`, person)).status).toBe(201)
	expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o700)
	const secrets = await readFile(join(DATA_DIR, 'secrets.json'), 'utf8')
	first.kill('SIGTERM')
	expect(await first.exitCode).toBe(0)

	const second = startPlayhouse({ DATA_DIR }, '--no-daemon')
	const secondUrl = await second.url
	expect(second.output()).not.toContain('Migrations applied')
	expect(second.output()).toContain(`${secondUrl}/v1/auth/login`)
	expect((await post(`${secondUrl}/v1/auth/login`, person)).status).toBe(200)
	expect(await readFile(join(DATA_DIR, 'secrets.json'), 'utf8')).toBe(secrets)
	second.kill('SIGINT')
	expect(await second.exitCode).toBe(0)
})

test('a second start on the same data is refused while the first one runs', async () => {
	const DATA_DIR = await temporaryDirectory()
	const first = startPlayhouse({ DATA_DIR }, '--no-daemon')
	await first.url
	const second = startPlayhouse({ DATA_DIR }, '--no-daemon')
	expect(await second.exitCode).toBe(1)
	expect(second.output()).toMatch(/^DATA_DIR: .* is in use by a Playhouse that runs already.*\n$/)
})

test('the server stops when the process that started it is killed', async () => {
	const DATA_DIR = await temporaryDirectory()
	const first = startPlayhouse({ DATA_DIR }, '--no-daemon')
	await first.url
	first.kill('SIGKILL')
	// Its output is closed when the server, which holds it too, has ended.
	await first.exitCode
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

test('a port that is taken is one line and exit code 1', async () => {
	const { port } = await listen()
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory(), PORT: port })
	expect(await playhouse.exitCode).toBe(1)
	expect(playhouse.output()).toMatch(new RegExp(`^port ${port} on 127.0.0.1 is taken .*\n$`))
})

test('a file in the place of DATA_DIR, or of a directory above it, is one line and exit code 1', async () => {
	const file = join(await temporaryDirectory(), 'file')
	await writeFile(file, '')
	for (const DATA_DIR of [file, join(file, 'below')]) {
		const playhouse = startPlayhouse({ DATA_DIR })
		expect(await playhouse.exitCode).toBe(1)
		expect(playhouse.output()).toMatch(/^\S.* is in the way: a directory was expected there\n$/)
	}
})

test(
	'a DATA_DIR that cannot be written is one line and exit code 1',
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
	[{ PORT: 'http' }, /^PORT: a number .*\n$/],
	[{ HOST: '203.0.113.1' }, /^HOST: 203.0.113.1 is not an address of this machine.*\n$/],
	[{ AUTH_SECRET: 'short' }, /^AUTH_SECRET: needs at least 32 characters.*\n$/],
	[{ FFMPEG_PATH: '/nowhere/ffmpeg' }, /^FFMPEG_PATH: \/nowhere\/ffmpeg is not a program.*\n$/],
])('%o is refused in one line', async (env: Record<string, string>, line) => {
	const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory(), ...env })
	expect(await playhouse.exitCode).toBe(1)
	expect(playhouse.output()).toMatch(line)
})

test('an unknown option is refused in one line, and --help says what there is', async () => {
	const wrong = startPlayhouse({}, '--no-such')
	expect(await wrong.exitCode).toBe(1)
	expect(wrong.output()).toMatch(/^.*--no-such.*--help\n$/)
	const help = startPlayhouse({}, '--help')
	expect(await help.exitCode).toBe(0)
	expect(help.output()).toContain('--no-daemon')
	expect(help.output()).toContain('SMTP_URL')
})

test('variables in DATA_DIR/.env reach the Worker; the environment comes before them', async () => {
	const DATA_DIR = await temporaryDirectory()
	await writeFile(join(DATA_DIR, '.env'), 'REGISTRATION_ENABLED=false\nPORT=1\n')
	const playhouse = startPlayhouse({ DATA_DIR }, '--no-daemon')
	expect((await post(`${await playhouse.url}/v1/auth/signup`, person)).status).toBe(403)
})

test('does not answer 5xx to any request line or header, and logs no failure', async () => {
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
				fc.oneof(fc.constantFrom(...brokenHosts), fc.string({ unit: 'binary-ascii', maxLength: 20 })),
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
				expect(await say(url, text)).not.toMatch(/^HTTP\/1.1 5(?!01 )/)
			},
		),
		{ numRuns: 150 },
	)
	expect((await fetch(new URL('/health/ready', url))).status).toBe(200)
	expect(playhouse.output()).not.toMatch(/uncaught|"failed"/i)
})

test.each(['ENOSPC', 'EDQUOT'])('a disk that is full (%s) is one line', (code) => {
	const error = Object.assign(new Error(`${code}: write`), { code, path: '/data/secrets.json' })
	expect(explainFailure(error)).toMatch(/^no space left: \/data\/secrets.json cannot be written;.*$/)
})

test('a mistake of ours keeps its stack', () => {
	expect(explainFailure(new TypeError('x is not a function'))).toBeUndefined()
})
