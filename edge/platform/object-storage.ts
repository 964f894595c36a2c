import type { Env } from './env.ts'
import {
	type Presigned,
	type PresignPartRequest,
	type PresignRequest,
	presign,
	presignPart,
	type S3Access,
} from './presign.ts'
import { r2Bucket } from './r2-bucket.ts'
import type { Secrets } from './secrets.ts'
import { StorageNotConfiguredError } from './storage-errors.ts'

/** Two buckets: the vault is private (sources, downloads, backups), media is what players fetch. */
export type BucketName = 'vault' | 'media'

/** A stream must know its length: a request's or response's own body, or a `FixedLengthStream`. */
export type ObjectBody = ReadableStream | ArrayBuffer | ArrayBufferView | Blob | string

export type ObjectHead = {
	key: string
	sizeBytes: number
	/** Without quotes, as the calls below take it. */
	etag: string
	uploadedAt: number
	contentType: string | null
	cacheControl: string | null
	contentDisposition: string | null
}

export type ByteRange = { offset: number; length?: number } | { suffix: number }

export type GetAnswer =
	| { state: 'found'; object: ObjectHead; body: ReadableStream; range: { offset: number; length: number } }
	| { state: 'missing' }
	/** It is there, and `onlyIf` does not hold. */
	| { state: 'condition-failed'; object: ObjectHead }
	| { state: 'range-unsatisfiable'; object: ObjectHead }

export type PutOptions = ObjectLabels & { onlyIf?: 'absent' | { etag: string } }
export type ObjectLabels = { contentType?: string; cacheControl?: string; contentDisposition?: string }

export type UploadedPart = { partNumber: number; etag: string }

/** What R2 refuses with a reason throws a `StorageRefusal`; anything else that goes wrong is a plain error. */
export type Bucket = {
	/** `null`: there is one already, or it is not the one `onlyIf` names. Nothing was written then. */
	put(key: string, body: ObjectBody, options?: PutOptions): Promise<ObjectHead | null>
	get(
		key: string,
		options?: { range?: ByteRange; onlyIf?: { etag: string } | { otherThan: string } },
	): Promise<GetAnswer>
	head(key: string): Promise<ObjectHead | null>
	/** What is not there counts as deleted. */
	delete(keys: string | readonly string[]): Promise<void>
	/** In the order of keys. Labels are not looked up: ask `head` for them. */
	list(
		prefix: string,
		cursor?: string | null,
		limit?: number,
	): Promise<{ objects: ListedObject[]; cursor: string | null }>
	/** Parts must all have one size (5 MiB to 4.995 GiB), but for the last, which may be smaller. */
	createMultipart(key: string, labels?: ObjectLabels): Promise<{ uploadId: string }>
	uploadPart(key: string, uploadId: string, partNumber: number, body: ObjectBody): Promise<UploadedPart>
	completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<ObjectHead>
	abortMultipart(key: string, uploadId: string): Promise<void>
}
export type ListedObject = Pick<ObjectHead, 'key' | 'sizeBytes' | 'etag' | 'uploadedAt'>

export type ObjectStorage = Readonly<Record<BucketName, Bucket>> & {
	/** Throws `StorageNotConfiguredError` where no secret is set to sign with. */
	presign(request: PresignRequest): Promise<Presigned>
	presignPart(request: PresignPartRequest): Promise<Presigned>
}

/** `requestOrigin` is null outside requests (queues, schedules): the own door then needs PUBLIC_URL. */
export function openObjectStorage(
	env: Env,
	secrets: Secrets | null,
	requestOrigin: string | null,
	now: number,
): ObjectStorage {
	let access: Promise<S3Access> | undefined
	const signing = () => {
		access ??= accessOf(env, secrets, requestOrigin)
		return access
	}
	return {
		vault: r2Bucket(env.bindings.VAULT),
		media: r2Bucket(env.bindings.MEDIA),
		presign: async (request) => presign(await signing(), request, now),
		presignPart: async (request) => presignPart(await signing(), request, now),
	}
}

async function accessOf(env: Env, secrets: Secrets | null, requestOrigin: string | null): Promise<S3Access> {
	const access = s3Access(env) ?? (await doorAccess(env, secrets, requestOrigin))
	if (!access)
		throw new StorageNotConfiguredError(
			'signed storage addresses need AUTH_SECRET (and PUBLIC_URL outside requests) or S3 credentials',
		)
	return access
}

/** The buckets' own S3 door, if there are credentials for it. */
export function s3Access({ vars }: Env): S3Access | null {
	const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = vars
	if (!endpoint || !accessKeyId || !secretAccessKey) return null
	const bucketNames = { vault: vars.VAULT_BUCKET, media: vars.MEDIA_BUCKET }
	return {
		endpoint,
		accessKeyId,
		secretAccessKey,
		region: vars.S3_REGION,
		bucketNames,
		signingKeys: new Map(),
	}
}

/** The Worker's own door (edge/storage-door), for installations without S3 credentials. */
export const doorAccess = async (
	env: Env,
	secrets: Secrets | null,
	requestOrigin: string | null,
): Promise<S3Access | null> => (await acceptedAccesses(env, secrets, requestOrigin))[0] ?? null

/** What the door accepts: an address for each accepted value of AUTH_SECRET, the current one first. */
export async function acceptedAccesses(
	env: Env,
	secrets: Secrets | null,
	requestOrigin: string | null,
): Promise<S3Access[]> {
	const base = env.vars.PUBLIC_URL ?? requestOrigin
	if (!secrets || !base) return []
	return (await secrets.hmacs('s3-door', 'secret')).map((secretAccessKey) => ({
		endpoint: `${base}/s3`,
		accessKeyId: 'playhouse',
		secretAccessKey,
		region: 'auto',
		bucketNames: { vault: 'vault', media: 'media' },
		signingKeys: new Map(),
	}))
}
