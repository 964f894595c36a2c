import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findSourceUrlProblem, isPublicAddress } from '#schema/contract/video/source-url.ts'
import { TemporaryError } from '../../../transcoder-daemon/run/failure.ts'
import { findPublicAddress, publicNetwork } from '../../../transcoder-daemon/sources/public-address.ts'
import { createRunFetch, defaultInternet, type Internet } from '../../../transcoder-daemon/tasks/fetch.ts'
import { SourceError, type TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import { memoryLog } from '../memory-log.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void
let handle: Handle
let seen: { host: string | undefined; url: string | undefined; encoding: string | undefined }[]
let port: number
const server = createServer((request, response) => {
	const { host, 'accept-encoding': encoding } = request.headers
	seen.push({ host, url: request.url, encoding: String(encoding) })
	handle(request, response)
})

beforeAll(async () => {
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	port = (server.address() as AddressInfo).port
})
afterAll(() => {
	server.close()
	server.closeAllConnections()
})
beforeEach(() => {
	seen = []
	handle = (_request, response) => response.end('a video')
})

/** Returns a network that resolves the test's host names to its own server and treats them as public. */
function internet(names: Record<string, string[]> = {}, limits: Partial<Internet['limits']> = {}): Internet {
	const lookups: Record<string, number> = {}
	return {
		...defaultInternet,
		publicNetwork: {
			async resolve(host) {
				const answers = names[host]
				if (!answers) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
				const turn = lookups[host] ?? 0
				lookups[host] = turn + 1
				// Returns another address each time, like a hostile name server.
				const address = answers[Math.min(turn, answers.length - 1)] ?? ''
				return address.split(',').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }))
			},
			isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
			urlProblem: (url) =>
				url.port === String(port)
					? findSourceUrlProblem({ ...withoutPort(url), port: '' })
					: findSourceUrlProblem(url),
		},
		limits: { ...defaultInternet.limits, ...limits },
	}
}
const withoutPort = ({
	protocol,
	username,
	password,
	hostname,
}: Parameters<typeof findSourceUrlProblem>[0]) => ({
	...{ protocol, username, password, hostname },
})

async function fetchVideo(url: string, network: Internet, maxBytes = 1_000_000) {
	const received: Uint8Array[] = []
	const context = {
		outputs: {
			async putStream(chunks: AsyncIterable<Uint8Array>) {
				for await (const chunk of chunks) received.push(chunk)
				const bytes = received.reduce((sum, { length }) => sum + length, 0)
				return { bytes, parts: [{ partNumber: 1, etag: 'e' }] }
			},
		},
		progress() {},
		signal: new AbortController().signal,
		log: memoryLog().log,
	} as unknown as TaskContext
	const result = await createRunFetch(network)({ kind: 'fetch', url, maxBytes }, context)
	return { result, text: Buffer.concat(received).toString() }
}

const urlOf = (path = '/film.mp4', host = 'films.example') => `http://${host}:${port}${path}`
const hosts = { 'films.example': ['127.0.0.1'] }
const errorOf = (promise: Promise<unknown>) =>
	promise.then(
		() => null,
		(error: Error) => ({ message: error.message, isFinal: error instanceof SourceError }),
	)

test('an import fetches a whole, uncompressed file from the named host', async () => {
	const { result, text } = await fetchVideo(urlOf(), internet(hosts))
	expect(text).toBe('a video')
	expect(result).toMatchObject({ kind: 'fetch', sizeBytes: 7, parts: [{ partNumber: 1, etag: 'e' }] })
	expect(seen).toEqual([{ host: `films.example:${port}`, url: '/film.mp4', encoding: 'identity' }])
})

test.each([
	'http://127.0.0.1/a.mp4',
	'http://2130706433/a.mp4',
	'http://0x7f000001/a.mp4',
	'http://0177.0.0.1/a.mp4',
	'http://127.1/a.mp4',
	'http://①②⑦.⓪.⓪.①/a.mp4',
	'http://[::1]/a.mp4',
	'http://[::ffff:127.0.0.1]/a.mp4',
	'http://[::ffff:7f00:1]/a.mp4',
	'http://[64:ff9b::7f00:1]/a.mp4',
	'http://[fe80::1]/a.mp4',
	'http://[fd00::1]/a.mp4',
	'http://0.0.0.0/a.mp4',
	'http://169.254.169.254/latest/meta-data',
	'http://10.0.0.1/a.mp4',
	'http://100.64.0.1/a.mp4',
	'http://localhost/a.mp4',
	'http://localhost./a.mp4',
	'http://printer.local/a.mp4',
	'http://a@203.0.114.1/a.mp4',
	'http://a:b@films.example/a.mp4',
	'http://films.example:22/a.mp4',
	'file:///etc/passwd',
	'gopher://films.example/a',
	'ftp://films.example/a.mp4',
	'not an address',
])('an import rejects %s before any connection', async (url) => {
	let lookups = 0
	const network = {
		...defaultInternet,
		publicNetwork: {
			...publicNetwork,
			async resolve() {
				lookups++
				return [{ address: '127.0.0.1', family: 4 }]
			},
		},
	}
	expect(await errorOf(fetchVideo(url, network))).toMatchObject({ isFinal: true })
	expect(lookups).toBe(0)
	expect(seen).toEqual([])
})

test.each([
	['127.0.0.1.nip.example', '10.0.0.1'],
	['both.example', '93.184.216.34,10.0.0.1'],
	['six.example', '::ffff:10.0.0.1'],
	['mapped.example', '64:ff9b::a00:1'],
])('an import rejects the host %s, which resolves to %s', async (name, address) => {
	expect(await errorOf(fetchVideo(`http://${name}:${port}/a.mp4`, internet({ [name]: [address] })))).toEqual({
		message: 'the address of the video must lead to a public host',
		isFinal: true,
	})
	expect(seen).toEqual([])
})

test('an import resolves a host name only once, even if its address changes', async () => {
	const network = internet({ 'films.example': ['127.0.0.1', '10.0.0.1'] })
	expect((await fetchVideo(urlOf(), network)).text).toBe('a video')
	const twice = internet({ 'films.example': ['127.0.0.1', '10.0.0.1'] })
	handle = (_request, response) => response.writeHead(302, { location: urlOf('/again.mp4') }).end()
	expect(await errorOf(fetchVideo(urlOf(), twice))).toMatchObject({ isFinal: true })
	expect(seen).toHaveLength(2)
})

test.each([
	'http://169.254.169.254/latest/meta-data',
	'http://[::1]/',
	'file:///etc/passwd',
	'http://a@films.example/',
])('an import does not follow a redirect to %s', async (location) => {
	handle = (_request, response) => response.writeHead(302, { location }).end()
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts)))).toMatchObject({ isFinal: true })
	expect(seen).toHaveLength(1)
})

test('an import follows three redirects, relative ones too, and rejects a fourth', async () => {
	handle = ({ url = '' }, response) => {
		const hop = Number(url.slice(1))
		if (hop === 3) response.end('a video')
		else response.writeHead(302, { location: `/${hop + 1}` }).end()
	}
	expect((await fetchVideo(urlOf('/0'), internet(hosts))).text).toBe('a video')
	handle = (_request, response) => response.writeHead(302, { location: '/loop' }).end()
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts)))).toEqual({
		message: 'the address of the video redirects more than 3 times',
		isFinal: true,
	})
	expect(seen).toHaveLength(8)
})

test.each([
	[404, 'there is no video at this URL (404); check it', true],
	[403, 'the server of the video requires permission (403); use an address that everyone can read', true],
	[500, 'the server of the video failed with status 500', false],
	[429, 'the server of the video failed with status 429', false],
	[204, 'the server of the video responded with status 204', true],
])('an import explains status %i', async (status, message, isFinal) => {
	handle = (_request, response) => response.writeHead(status).end()
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts)))).toEqual({ message, isFinal })
})

test.each([
	['text/html', 'x', 'this URL is a web page'],
	['video/mp4', '\n <!DOCTYPE html><html>', 'this URL is a web page'],
	['video/mp4', '#EXTM3U\n#EXTINF:10\nfile:///etc/passwd', 'this URL is a playlist'],
	['video/mp4', '<?xml version="1.0"?><MPD xmlns="x">', 'this URL is a playlist'],
	['video/mp4', '<?xml version="1.0"?><Error><Code>AccessDenied</Code>', 'this URL is a text document'],
	['application/json', '{ "error": "no" }', 'this URL is a text document'],
	['video/mp4', '', 'the file at this URL is empty'],
])('an import rejects the media type %s with content that begins with %j', async (type, body, message) => {
	handle = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body)
	const error = await errorOf(fetchVideo(urlOf(), internet(hosts)))
	expect(error?.message).toContain(message)
	expect(error?.isFinal).toBe(true)
})

test('an import rejects a file that is too large by its headers or its body', async () => {
	const message = 'the video is larger than the limit of 1 GiB'
	handle = (_request, response) => response.writeHead(200, { 'content-length': 2 ** 31 }).write('x')
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts), 2 ** 30))).toEqual({ message, isFinal: true })
	let sent = 0
	handle = (_request, response) => {
		const more = () => {
			while (!response.destroyed && response.write(Buffer.alloc(65_536, 1))) sent += 65_536
		}
		response.on('drain', more)
		more()
	}
	const error = await errorOf(fetchVideo(urlOf(), internet(hosts), 1_000_000))
	expect(error).toMatchObject({ isFinal: true })
	expect(sent).toBeLessThan(50_000_000)
})

test('an import rejects a body that is compressed although this was not requested', async () => {
	handle = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts)))).toMatchObject({ isFinal: true })
})

test('an import reports a broken connection as a temporary error', async () => {
	handle = (_request, response) => {
		response.writeHead(200, { 'content-length': 1_000 })
		response.write('half', () => response.destroy())
	}
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts)))).toEqual({
		message: 'the server of the video closed the connection early',
		isFinal: false,
	})
})

test.each([
	['sends nothing', () => {}, { headersMs: 200 }, 'the server films.example does not respond'],
	[
		'stops in the middle',
		(_request: IncomingMessage, response: ServerResponse) => void response.write('begin'),
		{ idleMs: 200 },
		'the server of the video stopped sending data',
	],
	[
		'sends a byte every few milliseconds',
		(_request: IncomingMessage, response: ServerResponse) => {
			const timer = setInterval(() => response.write('x'), 20)
			response.on('close', () => clearInterval(timer))
		},
		{ startSec: 0.3 },
		'the server of the video is too slow',
	],
])('an import gives up on a server that %s', async (_name, handler, limits, message) => {
	handle = handler
	expect(await errorOf(fetchVideo(urlOf(), internet(hosts, limits)))).toEqual({ message, isFinal: false })
})

test('an import distinguishes an unknown host from an unreachable one', async () => {
	expect(await errorOf(fetchVideo('http://nowhere.example/a.mp4', internet()))).toEqual({
		message: 'the host nowhere.example does not exist',
		isFinal: true,
	})
	const closed = createServer().listen(0, '127.0.0.1')
	await once(closed, 'listening')
	const { port: unusedPort } = closed.address() as AddressInfo
	closed.close()
	await once(closed, 'close')
	const network = internet(hosts)
	network.publicNetwork = { ...network.publicNetwork, urlProblem: () => null }
	expect(await errorOf(fetchVideo(`http://films.example:${unusedPort}/a.mp4`, network))).toEqual({
		message: "the server films.example can't be reached",
		isFinal: false,
	})
})

test('an import reports a failing name server as a temporary error', async () => {
	const resolve = async () => {
		throw Object.assign(new Error('again'), { code: 'EAI_AGAIN' })
	}
	const lookup = findPublicAddress(new URL('http://films.example/'), { ...publicNetwork, resolve })
	await expect(lookup).rejects.toBeInstanceOf(TemporaryError)
})

test('an import explains that a server does not speak HTTP', async () => {
	const mailServer = (await import('node:net')).createServer((socket) =>
		socket.end('220 mail.example ESMTP\r\n'),
	)
	mailServer.listen(0, '127.0.0.1')
	await once(mailServer, 'listening')
	const network = internet(hosts)
	network.publicNetwork = { ...network.publicNetwork, urlProblem: () => null }
	const { port: mailPort } = mailServer.address() as AddressInfo
	expect(await errorOf(fetchVideo(`http://films.example:${mailPort}/`, network))).toEqual({
		message: 'the server films.example does not speak HTTP',
		isFinal: true,
	})
	mailServer.close()
})
