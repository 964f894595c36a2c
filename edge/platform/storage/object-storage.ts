import type { Env } from '../env.ts'
import type { Secrets } from '../tokens/secrets.ts'
import type { Bucket, BucketName } from './bucket.ts'
import {
	type Presigned,
	type PresignPartRequest,
	type PresignRequest,
	presign,
	presignPart,
	type S3Access,
} from './presign.ts'
import { r2Bucket } from './r2-bucket.ts'
import { StorageNotConfiguredError } from './storage-errors.ts'

export type ObjectStorage = Readonly<Record<BucketName, Bucket>> & {
	/** Throws `StorageNotConfiguredError` if there is no key to sign with. */
	presign(request: PresignRequest): Promise<Presigned>
	presignPart(request: PresignPartRequest): Promise<Presigned>
}

/** `requestOrigin` is null outside requests (queues, schedules); our S3 API then needs PUBLIC_URL. */
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
		vault: r2Bucket(env.bindings.VAULT, env.bindings.DISK),
		media: r2Bucket(env.bindings.MEDIA, env.bindings.DISK),
		presign: async (request) => presign(await signing(), request, now),
		presignPart: async (request) => presignPart(await signing(), request, now),
	}
}

async function accessOf(env: Env, secrets: Secrets | null, requestOrigin: string | null): Promise<S3Access> {
	const access = readS3Access(env) ?? (await deriveOwnS3Access(env, secrets, requestOrigin))
	if (!access)
		throw new StorageNotConfiguredError(
			'signed storage URLs need AUTH_SECRET (and PUBLIC_URL outside requests) or S3 credentials',
		)
	return access
}

/** Returns the credentials of the S3-compatible store, or null if they are not configured. */
export function readS3Access({ vars }: Env): S3Access | null {
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

/** Returns the access to the Worker's own S3 API (edge/video/s3-api), for installations without S3 credentials. */
export const deriveOwnS3Access = async (
	env: Env,
	secrets: Secrets | null,
	requestOrigin: string | null,
): Promise<S3Access | null> => (await listAcceptedAccesses(env, secrets, requestOrigin))[0] ?? null

/** Returns the accesses that our S3 API accepts: one per accepted AUTH_SECRET, the current one first. */
export async function listAcceptedAccesses(
	env: Env,
	secrets: Secrets | null,
	requestOrigin: string | null,
): Promise<S3Access[]> {
	const base = env.vars.PUBLIC_URL ?? requestOrigin
	if (!secrets || !base) return []
	return (await secrets.hmacs('s3-api', 'secret')).map((secretAccessKey) => ({
		endpoint: `${base}/s3`,
		accessKeyId: 'playhouse',
		secretAccessKey,
		region: 'auto',
		bucketNames: { vault: 'vault', media: 'media' },
		signingKeys: new Map(),
	}))
}
