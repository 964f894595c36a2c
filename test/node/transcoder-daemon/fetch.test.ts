import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { isPublicAddress, sourceUrlProblem } from '#schema/contract/source-url.ts'
import { TemporaryError } from '../../../transcoder-daemon/failure.ts'
import { findPublicAddress, outside } from '../../../transcoder-daemon/public-address.ts'
import { fetchFrom, type Internet, theInternet } from '../../../transcoder-daemon/tasks/fetch.ts'
import { SourceError, type TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import { memoryLog } from './memory-log.ts'

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

/** Names of the test lead to its own server, and count as public; everything else is as it is. */
function internet(names: Record<string, string[]> = {}, limits: Partial<Internet['limits']> = {}): Internet {
	const asked: Record<string, number> = {}
	return {
		...theInternet,
		outside: {
			async resolve(host) {
				const answers = names[host]
				if (!answers) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
				const turn = asked[host] ?? 0
				asked[host] = turn + 1
				// A name server that answers something else each time.
				const address = answers[Math.min(turn, answers.length - 1)] ?? ''
				return address.split(',').map((one) => ({ address: one, family: one.includes(':') ? 6 : 4 }))
			},
			isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
			urlProblem: (url) =>
				url.port === String(port) ? sourceUrlProblem({ ...url2(url), port: '' }) : sourceUrlProblem(url),
		},
		limits: { ...theInternet.limits, ...limits },
	}
}
const url2 = ({ protocol, username, password, hostname }: Parameters<typeof sourceUrlProblem>[0]) => ({
	...{ protocol, username, password, hostname },
})

async function bring(url: string, net: Internet, maxBytes = 1_000_000) {
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
	const result = await fetchFrom(net)({ kind: 'fetch', url, maxBytes }, context)
	return { result, text: Buffer.concat(received).toString() }
}

const here = (path = '/film.mp4', host = 'films.example') => `http://${host}:${port}${path}`
const home = { 'films.example': ['127.0.0.1'] }
const refusal = (promise: Promise<unknown>) =>
	promise.then(
		() => null,
		(error: Error) => ({ message: error.message, isFinal: error instanceof SourceError }),
	)

test('a file comes whole, from the host that was named, uncompressed', async () => {
	const { result, text } = await bring(here(), internet(home))
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
])('%s is refused before anybody is asked', async (url) => {
	let asked = 0
	const net = {
		...theInternet,
		outside: {
			...outside,
			async resolve() {
				asked++
				return [{ address: '127.0.0.1', family: 4 }]
			},
		},
	}
	expect(await refusal(bring(url, net))).toMatchObject({ isFinal: true })
	expect(asked).toBe(0)
	expect(seen).toEqual([])
})

test.each([
	['127.0.0.1.nip.example', '10.0.0.1'],
	['both.example', '93.184.216.34,10.0.0.1'],
	['six.example', '::ffff:10.0.0.1'],
	['mapped.example', '64:ff9b::a00:1'],
])('%s, which leads to %s, is refused', async (name, address) => {
	expect(await refusal(bring(`http://${name}:${port}/a.mp4`, internet({ [name]: [address] })))).toEqual({
		message: 'The address of the video must lead to a public host.',
		isFinal: true,
	})
	expect(seen).toEqual([])
})

test('a name that leads elsewhere the second time is asked for once', async () => {
	const net = internet({ 'films.example': ['127.0.0.1', '10.0.0.1'] })
	expect((await bring(here(), net)).text).toBe('a video')
	const twice = internet({ 'films.example': ['127.0.0.1', '10.0.0.1'] })
	handle = (_request, response) => response.writeHead(302, { location: here('/again.mp4') }).end()
	expect(await refusal(bring(here(), twice))).toMatchObject({ isFinal: true })
	expect(seen).toHaveLength(2)
})

test.each([
	'http://169.254.169.254/latest/meta-data',
	'http://[::1]/',
	'file:///etc/passwd',
	'http://a@films.example/',
])('a redirect to %s is not followed', async (location) => {
	handle = (_request, response) => response.writeHead(302, { location }).end()
	expect(await refusal(bring(here(), internet(home)))).toMatchObject({ isFinal: true })
	expect(seen).toHaveLength(1)
})

test('three redirects are followed, also relative ones, and a fourth is not', async () => {
	handle = ({ url = '' }, response) => {
		const hop = Number(url.slice(1))
		if (hop === 3) response.end('a video')
		else response.writeHead(302, { location: `/${hop + 1}` }).end()
	}
	expect((await bring(here('/0'), internet(home))).text).toBe('a video')
	handle = (_request, response) => response.writeHead(302, { location: '/loop' }).end()
	expect(await refusal(bring(here(), internet(home)))).toEqual({
		message: 'The address of the video leads on and on: more than 3 redirects.',
		isFinal: true,
	})
	expect(seen).toHaveLength(8)
})

test.each([
	[404, 'There is no video at this address (404).', true],
	[403, 'The server of the video does not give it to everyone (403).', true],
	[500, 'The server of the video answered with an error (500).', false],
	[429, 'The server of the video answered with an error (429).', false],
	[204, 'The server of the video answered 204.', true],
])('an answer of %i is explained', async (status, message, isFinal) => {
	handle = (_request, response) => response.writeHead(status).end()
	expect(await refusal(bring(here(), internet(home)))).toEqual({ message, isFinal })
})

test.each([
	['text/html', 'x', 'There is a web page at this address'],
	['video/mp4', '\n <!DOCTYPE html><html>', 'There is a web page at this address'],
	['video/mp4', '#EXTM3U\n#EXTINF:10\nfile:///etc/passwd', 'There is a playlist at this address'],
	['video/mp4', '<?xml version="1.0"?><MPD xmlns="x">', 'There is a playlist at this address'],
	['video/mp4', '<?xml version="1.0"?><Error><Code>AccessDenied</Code>', 'There is a text at this address'],
	['application/json', '{ "error": "no" }', 'There is a text at this address'],
	['video/mp4', '', 'There is an empty file at this address'],
])('%s that begins with %j is no video', async (type, body, message) => {
	handle = (_request, response) => response.writeHead(200, { 'content-type': type }).end(body)
	const said = await refusal(bring(here(), internet(home)))
	expect(said?.message).toContain(message)
	expect(said?.isFinal).toBe(true)
})

test('one that says it is too large, and one that does not and is, are refused', async () => {
	const message = 'The video is larger than the 1 GiB that may be stored.'
	handle = (_request, response) => response.writeHead(200, { 'content-length': 2 ** 31 }).write('x')
	expect(await refusal(bring(here(), internet(home), 2 ** 30))).toEqual({ message, isFinal: true })
	let sent = 0
	handle = (_request, response) => {
		const more = () => {
			while (!response.destroyed && response.write(Buffer.alloc(65_536, 1))) sent += 65_536
		}
		response.on('drain', more)
		more()
	}
	const said = await refusal(bring(here(), internet(home), 1_000_000))
	expect(said).toMatchObject({ isFinal: true })
	expect(sent).toBeLessThan(50_000_000)
})

test('a body that is compressed all the same is refused', async () => {
	handle = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')
	expect(await refusal(bring(here(), internet(home)))).toMatchObject({ isFinal: true })
})

test('one that breaks off is worth another try', async () => {
	handle = (_request, response) => {
		response.writeHead(200, { 'content-length': 1_000 })
		response.write('half', () => response.destroy())
	}
	expect(await refusal(bring(here(), internet(home)))).toEqual({
		message: 'The server of the video broke the connection off.',
		isFinal: false,
	})
})

test.each([
	['says nothing', () => {}, { headersMs: 200 }, 'The server films.example does not answer.'],
	[
		'stops in the middle',
		(_request: IncomingMessage, response: ServerResponse) => void response.write('begin'),
		{ idleMs: 200 },
		'The server of the video stopped sending it.',
	],
	[
		'sends a byte now and then',
		(_request: IncomingMessage, response: ServerResponse) => {
			const timer = setInterval(() => response.write('x'), 20)
			response.on('close', () => clearInterval(timer))
		},
		{ startSec: 0.3 },
		'The server of the video sends it too slowly.',
	],
])('a server that %s is given up', async (_name, how, limits, message) => {
	handle = how
	expect(await refusal(bring(here(), internet(home, limits)))).toEqual({ message, isFinal: false })
})

test('a host that does not exist, and one where nobody listens, are told apart', async () => {
	expect(await refusal(bring('http://nowhere.example/a.mp4', internet()))).toEqual({
		message: 'There is no host nowhere.example.',
		isFinal: true,
	})
	const closed = createServer().listen(0, '127.0.0.1')
	await once(closed, 'listening')
	const { port: free } = closed.address() as AddressInfo
	closed.close()
	await once(closed, 'close')
	const net = internet(home)
	net.outside = { ...net.outside, urlProblem: () => null }
	expect(await refusal(bring(`http://films.example:${free}/a.mp4`, net))).toEqual({
		message: 'The server films.example can not be reached.',
		isFinal: false,
	})
})

test('a name server that is out of order is worth another try', async () => {
	const resolve = async () => {
		throw Object.assign(new Error('again'), { code: 'EAI_AGAIN' })
	}
	const asked = findPublicAddress(new URL('http://films.example/'), { ...outside, resolve })
	await expect(asked).rejects.toBeInstanceOf(TemporaryError)
})

test('a server that does not speak HTTP is explained', async () => {
	const plain = (await import('node:net')).createServer((socket) => socket.end('220 mail.example ESMTP\r\n'))
	plain.listen(0, '127.0.0.1')
	await once(plain, 'listening')
	const net = internet(home)
	net.outside = { ...net.outside, urlProblem: () => null }
	const { port: mail } = plain.address() as AddressInfo
	expect(await refusal(bring(`http://films.example:${mail}/`, net))).toEqual({
		message: 'The server films.example does not speak HTTP.',
		isFinal: true,
	})
	plain.close()
})
