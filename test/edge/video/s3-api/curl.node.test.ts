import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { openPresigner } from './presigned-addresses.node.ts'

const MIB = 1024 ** 2
let worker: RunningWorker
let presign: ReturnType<typeof openPresigner>
let folder: string

beforeAll(async () => {
	worker = await startWorker()
	presign = openPresigner(worker.url)
	folder = await mkdtemp(join(tmpdir(), 'playhouse-curl-'))
})
afterAll(async () => {
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

/** Returns the status, a lookup of headers by lower-case name, and the path of the stored body. */
async function curl(url: string, ...args: string[]) {
	const body = join(folder, `body-${randomBytes(4).toString('hex')}`)
	const { stdout } = await execa(
		'curl',
		[
			'--silent',
			'--show-error',
			'--output',
			body,
			'--write-out',
			'%{http_code} %{header_json}',
			...args,
			url,
		],
		{
			input: '',
		},
	)
	const headers: Record<string, string[]> = JSON.parse(stdout.slice(4))
	return { status: Number(stdout.slice(0, 3)), header: (name: string) => headers[name]?.[0] ?? null, body }
}

async function sha256(path: string): Promise<string> {
	const hash = createHash('sha256')
	for await (const chunk of createReadStream(path)) hash.update(chunk)
	return hash.digest('hex')
}

const key = "films/ünï (1) + 'a' 100%.mp4"

describe('curl with the S3 API', () => {
	it('curl uploads 64 MiB and downloads the same bytes: whole, as a range, and after an interruption', async () => {
		const file = join(folder, 'film')
		await writeFile(file, randomBytes(64 * MIB))
		const put = await presign({ method: 'PUT', key, contentType: 'video/mp4', writeOnce: true })
		const headers = Object.entries(put.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
		expect((await curl(put.url, '--upload-file', file, ...headers)).status).toBe(200)

		const get = await presign({
			method: 'GET',
			key,
			responseContentDisposition: 'attachment; filename="a b.mp4"',
		})
		const whole = await curl(get.url)
		expect(whole.status).toBe(200)
		expect(whole.header('content-length')).toBe(String(64 * MIB))
		expect(whole.header('content-type')).toBe('video/mp4')
		expect(whole.header('content-disposition')).toBe('attachment; filename="a b.mp4"')
		expect(await sha256(whole.body)).toBe(await sha256(file))

		const range = await curl(get.url, '--range', '1000-1999')
		expect([range.status, range.header('content-range')]).toEqual([206, `bytes 1000-1999/${64 * MIB}`])
		expect((await readFile(file)).subarray(1000, 2000).equals(await readFile(range.body))).toBe(true)

		const half = join(folder, 'half')
		await writeFile(half, (await readFile(file)).subarray(0, 20 * MIB))
		await execa('curl', ['--silent', '--fail', '--continue-at', '-', '--output', half, get.url])
		expect(await sha256(half)).toBe(await sha256(file))

		const again = await curl(put.url, '--upload-file', file, ...headers)
		expect(again.status).toBe(412)
	})

	it('curl gets the size of an object for a HEAD request signed for HEAD', async () => {
		const { url: put } = await presign({ method: 'PUT', key: 'head' })
		expect((await curl(put, '--request', 'PUT', '--data-binary', 'hello')).status).toBe(200)
		const head = await curl((await presign({ method: 'HEAD', key: 'head' })).url, '--head')
		expect([head.status, head.header('content-length'), head.header('accept-ranges')]).toEqual([
			200,
			'5',
			'bytes',
		])
		expect((await curl((await presign({ method: 'GET', key: 'head' })).url, '--head')).status).toBe(403)
	})

	it('the S3 API rejects a body of unknown length from curl', async () => {
		const { url } = await presign({ method: 'PUT', key: 'chunked' })
		const sent = await curl(
			url,
			'--request',
			'PUT',
			'--header',
			'transfer-encoding: chunked',
			'--data-binary',
			'hello',
		)
		expect(sent.status).toBe(411)
		expect(await readFile(sent.body, 'utf8')).toContain('<Code>MissingContentLength</Code>')
	})

	it('curl gets a response, not a connection reset, when a large body is rejected', async () => {
		const file = join(folder, 'large')
		await writeFile(file, Buffer.alloc(32 * MIB))
		const { url } = await presign({ method: 'PUT', key: 'rejected', contentType: 'video/mp4' })
		const sent = await curl(url, '--upload-file', file, '--header', 'content-type: text/html')
		expect(sent.status).toBe(403)
		expect(await readFile(sent.body, 'utf8')).toContain('<Code>SignatureDoesNotMatch</Code>')
	})

	it('the S3 API stores nothing when curl disconnects during the upload', async () => {
		const { url } = await presign({ method: 'PUT', key: 'broken' })
		await new Promise<void>((resolve) => {
			const sending = request(url, { method: 'PUT', headers: { 'content-length': String(8 * MIB) } })
			sending.on('error', () => {})
			sending.on('close', () => resolve())
			sending.write(Buffer.alloc(MIB), () => sending.destroy())
		})
		const { status } = await curl((await presign({ method: 'GET', key: 'broken' })).url)
		expect(status).toBe(404)
	})
})
