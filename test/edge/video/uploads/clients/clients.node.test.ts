/** @module-tag chromium */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { createDirectUpload, getDirectUpload } from '#schema/contract/video/direct-uploads.ts'
import { completeUpload, createUploadToken, createUploadUrl } from '#schema/contract/video/uploads.ts'
import { launchPlayhouse, type Playhouse } from '../../../../support/node/playhouse-process.ts'
import { openBrowser } from '../../../../support/shared/chromium.ts'
import { testVariables } from '../../../../support/shared/variables.ts'
import { openPresigner } from '../../s3-api/presigned-addresses.node.ts'
import { openCuttingProxy } from '../tus/cutting-proxy.node.ts'
import { MIB } from '../tus/film.node.ts'

const KIB = 1024

let directory: string
let playhouse: Playhouse
let url: string
let site: Server
let browser: Browser
let page: Page
let session: string
const client = () => createClient({ baseUrl: url, fetch, token: session })

beforeAll(async () => {
	const { AUTH_SECRET } = testVariables
	directory = await mkdtemp(join(tmpdir(), 'playhouse-clients-'))
	playhouse = launchPlayhouse({ DATA_DIR: directory, AUTH_SECRET }, '--no-daemon')
	url = await playhouse.url
	const body = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	session = (await createClient({ baseUrl: url, fetch }).call(signup, { body })).data.token
	const script = await bundleClients()
	site = createServer((request, response) =>
		request.url === '/clients.js'
			? response.setHeader('content-type', 'text/javascript').end(script)
			: response
					.setHeader('content-type', 'text/html')
					.end('<!doctype html><body><script src="/clients.js"></script>'),
	)
	await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
	browser = await openBrowser()
	page = await browser.newPage()
	await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
})
afterAll(async () => {
	await browser?.close()
	site?.close()
	playhouse?.kill('SIGTERM')
	await playhouse?.exitCode
	await rm(directory, { recursive: true, force: true })
})

async function bundleClients(): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(import.meta.dirname, 'page.mjs')],
		bundle: true,
		write: false,
		format: 'iife',
		logLevel: 'error',
	})
	return outputFiles[0]?.text ?? ''
}

/** Runs a function of page.mjs on a page of another origin. */
const upload = (name: string, options: object): Promise<unknown> =>
	page.evaluate(([name, options]) => Reflect.get(Reflect.get(globalThis, 'clients'), name)(options), [
		name,
		options,
	] as const)

/** Makes the same bytes as the page. */
function clientFilm(size: number): Buffer {
	const words = new Uint32Array(Math.ceil(size / 4))
	for (let i = 0, x = size + 1; i < words.length; i++) {
		x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0
		words[i] = x
	}
	return Buffer.from(words.buffer, 0, size)
}

async function openAsset(): Promise<string> {
	return (await client().call(createAsset, { body: { title: 'Film' } })).data.id
}

async function openUrl() {
	const assetId = await openAsset()
	const { data } = await client().call(createUploadUrl, { params: { assetId } })
	return { assetId, ...data, endpoint: data.uploadUrl }
}

/** Completes a presigned upload and compares the source with the file of the page. */
async function expectCompleted({ assetId, sourceKey }: { assetId: string; sourceKey: string }, size: number) {
	const body = { fileSize: size }
	const { data } = await client().call(completeUpload, { params: { assetId }, body })
	expect(data.sourceSizeBytes).toBe(size)
	await expectSource(assetId, sourceKey, size)
}

async function expectSource(assetId: string, key: string, size: number) {
	const { data } = await client().call(getAsset, { params: { assetId } })
	expect([data.status, data.sourceSizeBytes]).toEqual(['uploaded', size])
	const get = await openPresigner(url)({ method: 'GET', key })
	const stored = Buffer.from(await (await fetch(get.url)).arrayBuffer())
	expect(stored.equals(clientFilm(size))).toBe(true)
}

describe('UpChunk', () => {
	test.each([
		['a file of 1 kB', 256, 1_000, 1],
		['chunks of 256 KiB and a last one of 1 kB', 256, MIB + 1_000, 5],
		['chunks of 5 MiB, the size of a part', 5 * KIB, 12 * MIB, 3],
		['chunks of 30 MiB, its default', undefined, 31 * MIB, 2],
	])('UpChunk uploads %s to upload-url unchanged', async (_, chunkSize, size, chunks) => {
		const target = await openUrl()
		expect(await upload('upChunk', { size, endpoint: target.endpoint, chunkSize })).toBe(chunks)
		await expectCompleted(target, size)
	})

	test('UpChunk uploads growing chunks to the upload operation, through connections that break', async () => {
		const size = 6 * MIB + 5
		const assetId = await openAsset()
		const cuts = [100_000, 300_000, 900_000]
		const proxy = await openCuttingProxy(
			() => Number(new URL(url).port),
			() => cuts.shift(),
		)
		try {
			const endpoint = `${proxy.url}/v1/assets/${assetId}/upload`
			const headers = { authorization: `Bearer ${session}` }
			await upload('upChunk', { size, endpoint, headers, chunkSize: 512, dynamicChunkSize: true })
			expect(proxy.cuts).toBeGreaterThan(0)
		} finally {
			await proxy.close()
		}
		const asked = await fetch(`${url}/v1/assets/${assetId}/upload`, {
			method: 'PUT',
			headers: { authorization: `Bearer ${session}`, 'content-range': `bytes */${size}` },
		})
		const { data }: { data: { sourceKey: string } } = JSON.parse(await asked.text())
		await expectSource(assetId, data.sourceKey, size)
	})
})

test('mux-uploader uploads a file in chunks to upload-url unchanged', async () => {
	const size = 3 * MIB + 1_000
	const target = await openUrl()
	expect(await upload('muxUploader', { size, endpoint: target.endpoint, chunkSize: KIB })).toBe(4)
	await expectCompleted(target, size)
})

test.each([
	['upChunk', 4 * KIB, 9 * MIB + 1_000, 3],
	['muxUploader', KIB, 3 * MIB + 1_000, 4],
])(
	'%s uploads a file in chunks to the URL of a direct upload unchanged',
	async (name, chunkSize, size, chunks) => {
		const body = {
			corsOrigin: new URL(page.url()).origin,
			contentTypes: ['video/*'],
			maxBytes: size,
			newAsset: { title: 'Film' },
		}
		const { data } = await client().call(createDirectUpload, { body })
		expect(await upload(name, { size, endpoint: data.url, chunkSize })).toBe(chunks)
		const ended = (await client().call(getDirectUpload, { params: { uploadId: data.id } })).data
		expect(ended.status).toBe('asset_created')
		const asset = (await client().call(getAsset, { params: { assetId: ended.assetId ?? '' } })).data
		expect([asset.status, asset.sourceSizeBytes]).toEqual(['uploaded', size])
		const other = await client().call(createDirectUpload, {
			body: { ...body, corsOrigin: 'https://elsewhere.example.org' },
		})
		await expect(upload(name, { size, endpoint: other.data.url, chunkSize })).rejects.toThrow()
	},
)

test('Uppy with its tus plugin uploads a file in chunks unchanged', async () => {
	const size = 12 * MIB + 3
	const assetId = await openAsset()
	const { data } = await client().call(createUploadToken, { params: { assetId }, body: { fileSize: size } })
	const location = await upload('uppyTus', { ...data, size, endpoint: `${url}/upload/videos` })
	await expectSource(assetId, `${data.sourceKey}-${String(location).split('/').at(-1)}`, size)
})

test('Uppy with its aws-s3 plugin uploads a file to upload-url unchanged', async () => {
	const size = 2 * MIB + 3
	const target = await openUrl()
	await upload('uppyAwsS3', { ...target, size })
	await expectCompleted(target, size)
})
