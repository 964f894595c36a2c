/** @module-tag chromium */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../../scripts/lib/root.ts'
import type * as Sdk from '../../../sdk/src/index.ts'
import { MIB } from '../../edge/video/uploads/tus/film.node.ts'
import { openBrowser } from '../../support/shared/chromium.ts'
import { startUploadSink } from './upload-sink.node.ts'

const SIZE = 3 * MIB
let browser: Awaited<ReturnType<typeof openBrowser>>
let page: Page
const site = createServer((_, response) =>
	response.setHeader('content-type', 'text/html').end('<!doctype html>'),
)
beforeAll(async () => {
	await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
	browser = await openBrowser()
	page = await browser.newPage()
	await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
	const { outputFiles } = await build({
		entryPoints: [join(root, 'sdk', 'src', 'index.ts')],
		bundle: true,
		format: 'iife',
		globalName: 'sdk',
		write: false,
	})
	await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
})
afterAll(async () => {
	await browser?.close()
	site.close()
})

/** Uploads in the page. Returns the progress, and the name and message of the error. */
const sendInPage = (url: string, options: Partial<Sdk.SendOptions>, source: 'blob' | 'path' = 'blob') =>
	page.evaluate(
		async ([url, options, source, size]) => {
			const { Playhouse } = Reflect.get(globalThis, 'sdk') as typeof Sdk
			const seen: Sdk.UploadProgress[] = []
			const file = source === 'path' ? '/film.mp4' : new Blob([new Uint8Array(size).fill(7)])
			const onProgress = (progress: Sdk.UploadProgress) => {
				seen.push(progress)
				void fetch(`${url}/progress`, { method: 'HEAD' })
			}
			const sent = new Playhouse({ baseUrl: url, retries: 0 }).uploads.send(file, {
				assetId: 'ast_1',
				onProgress,
				...options,
			})
			const error = await sent.catch((error: Error) => `${error.name}: ${error.message}`)
			return { seen, error: error ?? null }
		},
		[url, options, source, SIZE] as const,
	)

test.each([
	['whole', {}],
	['in chunks', { wholeUpToBytes: 0, chunkBytes: 2 * MIB }],
])(
	'a page that sends a file %s sees the progress before the server has read the body',
	async (_name, options) => {
		const begun = Promise.withResolvers<void>()
		const sink = await startUploadSink({
			beforeBody: () => begun.promise,
			onRequest: ({ url }) => url === '/progress' && begun.resolve(),
		})
		const { seen, error } = await sendInPage(sink.url, options)
		expect(error).toBeNull()
		expect(sink.stored).toBe(SIZE)
		expect(seen[0]).toMatchObject({ stored: 0, size: SIZE })
		expect(seen[0]?.sent).toBeGreaterThan(0)
		expect(seen.at(-1)).toEqual({ sent: SIZE, stored: SIZE, size: SIZE })
	},
)

test('a page gets the typed error of an upload that the server refuses', async () => {
	const sink = await startUploadSink({ refuseWith: 403 })
	const { error } = await sendInPage(sink.url, { wholeUpToBytes: 0 })
	expect(error).toBe('PermissionError: PATCH of the upload: 403 without a message')
})

test('an upload of a path from a page throws a TypeError', async () => {
	const sink = await startUploadSink()
	const { error } = await sendInPage(sink.url, {}, 'path')
	expect(error).toBe('TypeError: a path can be read only by Node, Deno or Bun; pass a Blob')
	expect(sink.requests).toEqual([])
})
