import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { openPresigner } from './presigned-addresses.node.ts'

describe('a page of another origin in Chromium', needs({ Chromium: chromiumPath }), () => {
	let worker: RunningWorker
	let presign: ReturnType<typeof openPresigner>
	let site: Server
	let browser: Browser
	let page: Page

	beforeAll(async () => {
		worker = await startWorker()
		presign = openPresigner(worker.url)
		site = createServer((_, response) =>
			response.setHeader('content-type', 'text/html').end('<!doctype html><title>site</title>'),
		)
		await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
		browser = await openBrowser()
		page = await browser.newPage()
		await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
	})
	afterAll(async () => {
		await browser?.close()
		site?.close()
		await worker?.dispose()
	})

	const send = (
		method: string,
		address: { url: string; headers: Record<string, string> },
		sizeBytes?: number,
	) =>
		page.evaluate(
			async ([method, { url, headers }, sizeBytes]) => {
				const body =
					sizeBytes === undefined ? null : new File([new Uint8Array(sizeBytes).fill(7)], 'film.mp4')
				const response = await fetch(url, { method, headers, body })
				const bytes = new Uint8Array(await response.arrayBuffer())
				return {
					status: response.status,
					headers: Object.fromEntries(response.headers),
					length: bytes.length,
					text: new TextDecoder().decode(bytes.subarray(0, 200)),
				}
			},
			[method, address, sizeBytes] as const,
		)

	it('a page of another origin uploads a File to a write-once URL and reads ranges of it', async () => {
		const key = 'uploads/ünï film (1).mp4'
		const put = await presign({ method: 'PUT', key, contentType: 'video/mp4', writeOnce: true })
		const first = await send('PUT', put, 3_000_000)
		expect([first.status, first.headers.etag]).toEqual([200, expect.stringMatching(/^"\w+"$/)])
		const second = await send('PUT', put, 10)
		expect([second.status, second.text]).toEqual([412, expect.stringContaining('PreconditionFailed')])

		const get = await presign({ method: 'GET', key })
		const range = await send('GET', { ...get, headers: { range: 'bytes=1000-1099' } })
		expect(range).toMatchObject({
			status: 206,
			length: 100,
			headers: {
				'content-range': 'bytes 1000-1099/3000000',
				'content-length': '100',
				'accept-ranges': 'bytes',
				etag: first.headers.etag,
			},
		})
		expect((await send('GET', get)).length).toBe(3_000_000)
		const head = await send('HEAD', await presign({ method: 'HEAD', key }))
		expect([head.status, head.headers['content-length']]).toEqual([200, '3000000'])
	})

	it('a page of another origin can read the error of a rejected S3 request', async () => {
		const { url } = await presign({ method: 'GET', key: 'nothing' })
		expect(await send('GET', { url, headers: {} })).toMatchObject({
			status: 404,
			text: expect.stringContaining('NoSuchKey'),
		})
		expect(await send('GET', { url: `${url.slice(0, -1)}x`, headers: {} })).toMatchObject({
			status: 403,
			text: expect.stringContaining('SignatureDoesNotMatch'),
		})
	})

	it('stored HTML cannot run on the origin of the API', async () => {
		const key = 'page.html'
		const html = '<!doctype html><title>still</title><script>document.title = "ran"</script>'
		const put = await presign({ method: 'PUT', key, contentType: 'text/html' })
		await page.evaluate(([{ url, headers }, html]) => fetch(url, { method: 'PUT', headers, body: html }), [
			put,
			html,
		] as const)
		const visitor = await browser.newPage()
		await visitor.goto((await presign({ method: 'GET', key })).url)
		expect(await visitor.title()).toBe('still')
		expect(await visitor.evaluate('self.origin')).toBe('null')
		await visitor.close()
	})

	it('Chromium plays a media file that is opened directly from the S3 API', async () => {
		const put = await presign({ method: 'PUT', key: 'tone.wav', contentType: 'audio/wav' })
		await fetch(put.url, { method: 'PUT', headers: put.headers, body: silence(8_000) })
		const visitor = await browser.newPage()
		await visitor.goto((await presign({ method: 'GET', key: 'tone.wav' })).url)
		await expect.poll(() => visitor.evaluate("document.querySelector('video').duration")).toBe(1)
		await visitor.close()
	})
})

/** Returns a silent WAV file: mono, 8 bits, 8,000 samples a second. */
function silence(samples: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(44 + samples).fill(128)
	const view = new DataView(bytes.buffer)
	const text = (at: number, letters: string) => bytes.set(new TextEncoder().encode(letters), at)
	text(0, 'RIFF')
	view.setUint32(4, 36 + samples, true)
	text(8, 'WAVEfmt ')
	for (const [at, size] of [
		[16, 16],
		[24, 8_000],
		[28, 8_000],
		[40, samples],
	] as const)
		view.setUint32(at, size, true)
	for (const [at, value] of [
		[20, 1],
		[22, 1],
		[32, 1],
		[34, 8],
	] as const)
		view.setUint16(at, value, true)
	text(36, 'data')
	return bytes
}
