import { setTimeout } from 'node:timers/promises'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import type { BucketName } from '../../../edge/platform/storage/bucket.ts'
import { presign, type S3Access } from '../../../edge/platform/storage/presign.ts'
import { root } from '../../lib/root.ts'
import { readWorkerConfig } from '../../lib/runtime/worker-config.ts'

/** The two buckets, for reading. */
export type Store = {
	/** Returns the size of an object, or null if there is none. */
	readSize(bucket: BucketName, key: string): Promise<number | null>
	readText(bucket: BucketName, key: string): Promise<string>
}

const URL_SECONDS = 3_600
const TRIES = 4
const FIRST_PAUSE_MS = 500

/** Returns the buckets of an S3 API. */
export function s3Store(access: S3Access): Store {
	const request = async (method: 'GET' | 'HEAD', bucket: BucketName, key: string): Promise<Response> => {
		const { url } = await presign(access, { bucket, key, method, expiresSeconds: URL_SECONDS }, Date.now())
		// Otherwise fetch asks for gzip, and some stores then leave the length out.
		return fetchAgain(url, { method, headers: { 'accept-encoding': 'identity' } })
	}
	return {
		async readSize(bucket, key) {
			const response = await request('HEAD', bucket, key)
			if (response.status === 404) return null
			if (!response.ok) throw refusedError(response, key)
			const sizeBytes = response.headers.get('content-length')
			if (sizeBytes === null) throw new Error(`the object store did not return the size of ${key}`)
			return Number(sizeBytes)
		},
		async readText(bucket, key) {
			const response = await request('GET', bucket, key)
			if (!response.ok) throw refusedError(response, key)
			return response.text()
		},
	}
}

const refusedError = ({ status }: Response, key: string) =>
	new Error(`the object store returned ${status} for ${key}`)

/** Retries a request after a transient failure, since a run sends millions of requests. */
async function fetchAgain(url: string, init: RequestInit, tries = TRIES): Promise<Response> {
	const response = await fetch(url, init).catch((error: unknown) => {
		if (tries === 1) throw error
	})
	const mayPass = !response || response.status === 429 || response.status >= 500
	if (response && (!mayPass || tries === 1)) return response
	await setTimeout(FIRST_PAUSE_MS * 2 ** (TRIES - tries))
	return fetchAgain(url, init, tries - 1)
}

/** Returns the buckets of `npm start`, which must not run meanwhile. */
export async function localStore(storage: string): Promise<Store & AsyncDisposable> {
	const { r2Buckets = {} } = await readWorkerConfig(`${root}/wrangler.toml`)
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({ r2Buckets, modules: true, script: 'export default {}' }),
		resourcePersistencePath: storage,
		// Otherwise Miniflare fetches its location data from the network.
		cf: false,
		log: new Log(LogLevel.ERROR),
	})
	const buckets = {
		vault: await miniflare.getR2Bucket('VAULT'),
		media: await miniflare.getR2Bucket('MEDIA'),
	}
	return {
		readSize: async (bucket, key) => (await buckets[bucket].head(key))?.size ?? null,
		readText: async (bucket, key) => (await (await buckets[bucket].get(key))?.text()) ?? '',
		[Symbol.asyncDispose]: () => miniflare.dispose(),
	}
}
