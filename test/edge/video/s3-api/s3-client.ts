import { env } from 'cloudflare:workers'
import { openDatabase } from '../../../../edge/platform/database/database.ts'
import { type Bindings, parseEnv } from '../../../../edge/platform/env.ts'
import { jsonLog } from '../../../../edge/platform/log.ts'
import type { BucketName } from '../../../../edge/platform/storage/bucket.ts'
import { deriveOwnS3Access, openObjectStorage } from '../../../../edge/platform/storage/object-storage.ts'
import { type PresignRequest, type S3Access, signUrl } from '../../../../edge/platform/storage/presign.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { answerS3 } from '../../../../edge/video/s3-api/s3-api.ts'
import { emptyRuntime } from '../../../support/edge/empty-runtime.ts'

export const ORIGIN = 'https://edge.test'
export const NOW = Date.UTC(2037, 10, 21, 12)

/** Opens the S3 API on empty buckets, with a clock that the test sets. */
export async function openS3Client(overrides: Record<string, unknown> = {}) {
	await emptyRuntime()
	const parsed = parseEnv({ ...env, ...overrides } as unknown as Bindings)
	const secrets = parsed.vars.AUTH_SECRET ? deriveSecrets(parsed.vars.AUTH_SECRET) : null
	const logged: string[] = []
	const clock = { now: NOW }
	const deps = {
		env: parsed,
		secrets,
		db: openDatabase(parsed, () => undefined),
		log: jsonLog((_, line) => void logged.push(line)),
	}
	const storage = () => openObjectStorage(parsed, secrets, ORIGIN, clock.now)
	const open = (url: string | URL, init: RequestInit = {}) =>
		answerS3(new Request(url, init), { ...deps, now: clock.now })

	/** Signs any method and query in the same way as `presign`. */
	async function sign(
		method: string,
		key: string,
		query: Record<string, string> = {},
		headers: Record<string, string> = {},
		bucket: BucketName = 'vault',
	) {
		const access = (await deriveOwnS3Access(parsed, secrets, ORIGIN)) as S3Access
		return signUrl(access, { method, bucket, key, query, headers, expiresSeconds: 60 }, clock.now)
	}

	return {
		storage: storage(),
		clock,
		logged,
		open,
		sign,
		presign: (request: Partial<PresignRequest> & Pick<PresignRequest, 'method'>) =>
			storage().presign({ bucket: 'vault', key: 'film.mp4', expiresSeconds: 60, ...request }),
		/** Signs and sends a request, with `content-length` if there is a body. */
		async send(
			method: string,
			key: string,
			query: Record<string, string> = {},
			headers: Record<string, string> = {},
			body?: string | Uint8Array<ArrayBuffer>,
		) {
			const { url } = await sign(method, key, query)
			const size = typeof body === 'string' ? new TextEncoder().encode(body).byteLength : body?.byteLength
			const length = size === undefined ? {} : { 'content-length': String(size) }
			return open(url, { method, headers: { ...length, ...headers }, ...(body !== undefined && { body }) })
		},
	}
}

export type S3Client = Awaited<ReturnType<typeof openS3Client>>

export const readErrorCode = async (response: Response): Promise<string> =>
	/<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? ''
