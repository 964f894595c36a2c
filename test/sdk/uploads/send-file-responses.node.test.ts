import { expect, test } from 'vitest'
import { Playhouse, type UploadState } from '../../../sdk/src/index.ts'
import { type Answer, answer, startFailingServer } from '../failing-server.node.ts'

const ID = 'a'.repeat(22)
const file = new Blob(['0123456789'])
const tokenAnswer = answer(200, { data: { token: 'upload', sourceKey: 'src' } })
const created = answer(201, '', { location: `/upload/videos/${ID}` })
const page = answer(200, '<html>Please sign in</html>', { 'content-type': 'text/html' })
const at = (offset: string): Answer => answer(204, '', { 'upload-offset': offset, 'retry-after': '0' })

const sendTo = (url: string, chunkBytes = 4) =>
	new Playhouse({ baseUrl: url, retries: 0 }).uploads.send(file, {
		assetId: 'ast_1',
		wholeUpToBytes: 0,
		chunkBytes,
	})

test.each([
	['a page of a proxy', page],
	['a negative offset', at('-1')],
	['a fraction', at('1.5')],
	['an empty offset', at('')],
	['an offset behind the end of the file', at('11')],
])('an upload whose chunk gets %s ends with an UnexpectedResponseError', async (_name, given) => {
	const { url, received } = await startFailingServer(tokenAnswer, created, given)
	await expect(sendTo(url)).rejects.toMatchObject({
		name: 'UnexpectedResponseError',
		message: 'PATCH of the upload: the response has no valid Upload-Offset; check baseUrl and proxies',
	})
	expect(received.map(({ method }) => method)).toEqual(['POST', 'POST', 'PATCH'])
})

test.each([
	['the same offset', '0', '0'],
	['an offset before the chunk', '4', '0'],
])('an upload to a server that always reports %s ends after eight retries', async (_name, first, then) => {
	const patch = first === '0' ? [] : [at(first)]
	const { url, received } = await startFailingServer(tokenAnswer, created, ...patch, at(then))
	await expect(sendTo(url)).rejects.toMatchObject({
		name: 'UnexpectedResponseError',
		message: 'PATCH of the upload: the server stored nothing of the chunk; continue with its state',
	})
	expect(received.length).toBeLessThan(24)
})

test('an upload to a server that loses each stored chunk ends after eight failures', async () => {
	const losing: Answer = (response, request) => {
		if (request.path.includes('/v1/')) return tokenAnswer(response, request)
		if (request.method === 'POST') return created(response, request)
		if (request.method === 'HEAD') return at('0')(response, request)
		const isFirst = request.headers['upload-offset'] === '0'
		return (isFirst ? at('4') : answer(409, {}))(response, request)
	}
	const { url, received } = await startFailingServer(losing)
	await expect(sendTo(url)).rejects.toMatchObject({ name: 'ConflictError' })
	expect(received.length).toBeLessThan(40)
})

test('an upload continues with the offset of the server after a chunk without progress', async () => {
	const { url, received } = await startFailingServer(
		tokenAnswer,
		created,
		at('0'),
		at('4'),
		at('8'),
		at('10'),
	)
	await sendTo(url)
	expect(received.map(({ method, headers }) => `${method} ${headers['upload-offset'] ?? ''}`)).toEqual([
		'POST ',
		'POST ',
		'PATCH 0',
		'HEAD ',
		'PATCH 4',
		'PATCH 8',
	])
})

test.each([
	['a page of a proxy', page],
	['a Location without an id', answer(201, '', { location: '/upload/videos/' })],
])('an upload that begins with %s ends with an UnexpectedResponseError', async (_name, given) => {
	const { url, received } = await startFailingServer(tokenAnswer, given)
	await expect(sendTo(url)).rejects.toMatchObject({
		name: 'UnexpectedResponseError',
		message: 'POST of the upload: the response has no valid Location; check baseUrl and proxies',
	})
	expect(received).toHaveLength(2)
})

test('an upload whose server stalls continues after the timeout', async () => {
	const stall: Answer = () => {}
	const { url, received } = await startFailingServer(tokenAnswer, created, stall, at('0'), at('10'))
	const options = { assetId: 'ast_1', wholeUpToBytes: 0 }
	await new Playhouse({ baseUrl: url, timeoutMs: 500 }).uploads.send(file, options)
	expect(received.slice(2).map(({ method }) => method)).toEqual(['PATCH', 'HEAD', 'PATCH'])
})

test.each([
	['another file', { size: 11 }, 'another file or asset'],
	['another asset', { assetId: 'ast_2' }, 'another file or asset'],
	['another installation', { url: `http://127.0.0.1:9/upload/videos/${ID}` }, 'another installation'],
	['an installation on the same host', { url: '/upload/videos/1' }, 'another installation'],
	['no upload', { url: undefined }, 'another installation'],
])('uploads.send refuses the state of %s before a request', async (_name, changed, message) => {
	const { url, received } = await startFailingServer(page)
	const right = { assetId: 'ast_1', size: 10, url: `${url}/upload/videos/${ID}`, token: 'upload' }
	const state = { ...right, ...changed } as UploadState
	await expect(
		new Playhouse({ baseUrl: url }).uploads.send(file, { assetId: 'ast_1', state }),
	).rejects.toThrow(new TypeError(`the state belongs to ${message}; remove it to start again`))
	expect(received).toHaveLength(0)
})

test.each([
	['a Blob', file],
	['a path', import.meta.filename],
])('an upload of %s does not follow a redirect to another origin', async (_name, source) => {
	const other = await startFailingServer(answer(204, '', { 'upload-offset': '10' }))
	const away = answer(307, '', { location: `${other.url}/upload/videos/${ID}` })
	const { url } = await startFailingServer(tokenAnswer, created, away)
	const sent = new Playhouse({ baseUrl: url }).uploads.send(source, { assetId: 'ast_1', wholeUpToBytes: 0 })
	await expect(sent).rejects.toMatchObject({ name: 'InvalidRequestError', status: 307 })
	expect(other.received).toEqual([])
})

test.each([0, -1, 0.5, Number.NaN])(
	'uploads.send refuses chunks of %s bytes before a request',
	async (bytes) => {
		const { url, received } = await startFailingServer(page)
		await expect(sendTo(url, bytes)).rejects.toThrow(
			new TypeError('chunkBytes is less than 1; pass the number of bytes of a chunk'),
		)
		expect(received).toHaveLength(0)
	},
)
