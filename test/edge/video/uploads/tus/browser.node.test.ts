import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { startPlayhouse } from '../../../../support/node/playhouse-process.ts'
import { temporaryDirectory } from '../../../../support/node/temporary-directory.ts'
import { chromiumPath, openBrowser } from '../../../../support/shared/chromium.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { MIB } from './film.node.ts'

const script = createRequire(import.meta.url).resolve('tus-js-client/dist/tus.min.js')

test(
	'a page of another origin uploads a file with tus-js-client and resumes after an abort',
	needs({ Chromium: chromiumPath }),
	async () => {
		const playhouse = startPlayhouse({ DATA_DIR: await temporaryDirectory() }, '--no-daemon')
		const url = await playhouse.url
		const client = createClient({ baseUrl: url, fetch })
		const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
		const { token: session } = (await client.call(signup, { body: person })).data
		const as = { token: session }
		const { id: assetId } = (await client.call(createAsset, { body: { title: 'Film' } }, as)).data
		const size = 12 * MIB + 345
		const { data: upload } = await client.call(
			createUploadToken,
			{ params: { assetId }, body: { fileSize: size } },
			as,
		)

		const page = await openPage()
		const seen = await page.evaluate(
			async ({ endpoint, upload, size }) => {
				const { Upload } = (globalThis as unknown as { tus: typeof import('tus-js-client') }).tus
				const file = new File([new Uint8Array(size).fill(7)], 'film.mp4', { type: 'video/mp4' })
				const offsets: number[] = []
				const begin = (stopAt: number) =>
					new Promise<{ url: string | null }>((resolve, reject) => {
						const running = new Upload(file, {
							endpoint,
							chunkSize: 5 * 1024 ** 2,
							retryDelays: [],
							headers: { authorization: `Bearer ${upload.token}` },
							metadata: { filename: upload.sourceKey, filetype: file.type },
							onChunkComplete: (_, accepted) => {
								offsets.push(accepted)
								if (accepted >= stopAt) running.abort().then(() => resolve(running), reject)
							},
							onSuccess: () => resolve(running),
							onError: reject,
						})
						running.findPreviousUploads().then(([previous]) => {
							if (previous) running.resumeFromPreviousUpload(previous)
							running.start()
						}, reject)
					})
				const first = await begin(1)
				const second = await begin(Number.POSITIVE_INFINITY)
				return { origin: String(Reflect.get(globalThis, 'origin')), offsets, urls: [first.url, second.url] }
			},
			{ endpoint: `${url}/upload/videos`, upload, size },
		)

		expect(seen.origin).not.toBe(new URL(url).origin)
		expect(seen.offsets).toEqual([5 * MIB, 10 * MIB, size])
		expect(seen.urls[0]).toBe(seen.urls[1])
		expect(seen.urls[0]).toMatch(/^http.*\/upload\/videos\/\w{22}$/)
		expect((await client.call(getAsset, { params: { assetId } }, as)).data.status).toBe('uploaded')
	},
)

/** In Chromium, on a site that is not the API's. */
async function openPage() {
	const tus = await readFile(script)
	const site = createServer((request, response) =>
		request.url === '/tus.js'
			? response.setHeader('content-type', 'text/javascript').end(tus)
			: response.setHeader('content-type', 'text/html').end('<!doctype html><script src="/tus.js"></script>'),
	)
	await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
	onTestFinished(() => void site.close())
	const browser = await openBrowser()
	onTestFinished(() => browser.close())
	const page = await browser.newPage()
	await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
	return page
}
