import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import { createAsset, getAsset } from '#schema/contract/video/assets.ts'
import { standardAudioConfig } from '#schema/contract/video/audio.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { completeUpload, createUploadUrl } from '#schema/contract/video/uploads.ts'

export const API_KEY = 'phk_live_a-key-for-tests'
type FakeAsset = {
	id: string
	title: string
	status: AssetStatus
	content: Buffer | null
	errorMessage?: string
}

/** The part of the public API that a hot folder uses. A test decides whether assets become ready or fail. */
export async function openFakeApi() {
	const assets = new Map<string, FakeAsset>()
	const byKey = new Map<string, string>()
	const calls: string[] = []
	let fault: (call: string) => 'lost' | number | null = () => null
	let outcome: (asset: FakeAsset) => void = (asset) => {
		asset.status = 'ready'
	}
	const paths = [createUploadUrl, completeUpload, processAsset, getAsset].map((operation) => ({
		operation,
		pattern: new RegExp(`^${operation.path.replace('{assetId}', '([^/]+)')}$`),
	}))

	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		const content = Buffer.concat(chunks)
		const { pathname } = new URL(request.url ?? '/', url)
		const method = request.method ?? ''
		const reply = (status: number, body: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' })
			response.end(JSON.stringify(body))
		}
		if (pathname.startsWith('/store/')) {
			const asset = assets.get(pathname.slice('/store/'.length))
			calls.push('PUT')
			if (!asset || Number(request.headers['content-length']) !== content.length) return reply(400, {})
			const injected = fault('PUT')
			if (typeof injected === 'number') return reply(injected, {})
			asset.content = content
			return reply(200, {})
		}
		if (request.headers.authorization !== `Bearer ${API_KEY}`) return reply(401, { error: 'unknown key' })
		const found = paths.find(
			({ operation, pattern }) => operation.method.toUpperCase() === method && pattern.test(pathname),
		)
		const name = pathname === createAsset.path ? createAsset.id : (found?.operation.id ?? 'unknown')
		calls.push(name)
		const injected = fault(name)
		if (typeof injected === 'number') return reply(injected, { error: 'an injected fault' })
		const answer = handle(
			name,
			found?.pattern.exec(pathname)?.[1] ?? '',
			content,
			request.headers['idempotency-key'],
		)
		if (injected === 'lost') return response.destroy()
		reply(answer.status, answer.body)
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

	function handle(name: string, id: string, content: Buffer, key: string | string[] | undefined) {
		if (name === createAsset.id) {
			const { title } = createAsset.body.parse(JSON.parse(content.toString()))
			const existingId = byKey.get(String(key))
			const number = String(assets.size + 1).padStart(26, '0')
			const asset = existingId ? assets.get(existingId) : undefined
			const created = asset ?? { id: `ast_${number}`, title, status: 'created' as const, content: null }
			assets.set(created.id, created)
			byKey.set(String(key), created.id)
			return done(201, { id: created.id, playbackId: number.slice(-22), status: 'created' })
		}
		const asset = assets.get(id)
		if (!asset) return { status: 404, body: { error: 'no such asset' } }
		if (name === createUploadUrl.id)
			return done(200, {
				uploadUrl: `${url}/store/${id}`,
				sourceKey: `sources/${id}/source`,
				method: 'PUT',
				headers: {},
				expiresAt: new Date().toISOString(),
			})
		if (name === completeUpload.id) {
			if (!asset.content || asset.status !== 'created')
				return { status: 409, body: { error: 'no upload to complete' } }
			asset.status = 'uploaded'
			return done(200, { id, status: 'uploaded' })
		}
		if (name === processAsset.id) {
			if (asset.status !== 'uploaded') return { status: 409, body: { error: 'a job is running' } }
			asset.status = 'processing'
			return done(200, { assetId: id, jobId: 'job_00000000000000000000000000', status: 'queued' })
		}
		if (asset.status === 'processing') outcome(asset)
		// A fake that violates the contract fails at once instead of being retried.
		return done(200, getAsset.response.shape.data.parse(assetView(asset)))
	}

	return {
		url,
		assets,
		calls,
		injectFaults: (faultOf: typeof fault) => {
			fault = faultOf
		},
		setOutcome: (apply: typeof outcome) => {
			outcome = apply
		},
		async [Symbol.asyncDispose]() {
			server.close()
			server.closeAllConnections()
			await once(server, 'close')
		},
	}
}

export type FakeApi = Awaited<ReturnType<typeof openFakeApi>>

const done = (status: number, data: unknown) => ({ status, body: { data } })

const assetView = ({ id, title, status, errorMessage }: FakeAsset) => ({
	...{ id, title, status, errorMessage, description: null, collectionId: null, durationSec: 0 },
	...{ sourceSizeBytes: null, width: null, height: null, placeholder: null, watchUrl: '', embedUrl: '' },
	...{
		playbackId: id.slice(-22),
		thumbnailUrl: '',
		hasCustomThumbnail: false,
		thumbnailFrame: null,
		visibility: 'public',
	},
	metadata: {},
	audioConfig: standardAudioConfig,
	publicSettings: {
		...{ allowDownload: false, showTranscript: true, showChapters: true },
		...{ showHighlights: true, showComments: true },
	},
	...{ createdAt: new Date(0).toISOString(), updatedAt: new Date(0).toISOString() },
	...{ renditions: [], currentStep: null, job: null, aiJob: null, highlights: [] },
})
