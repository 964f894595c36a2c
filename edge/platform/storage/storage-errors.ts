/** URLs can't be signed: S3 credentials and AUTH_SECRET are missing, or there is no base URL. Buckets still work. */
export class StorageNotConfiguredError extends Error {
	override name = 'StorageNotConfiguredError'
	readonly code = 'not_configured'
}

export type RefusalReason =
	| 'no-such-upload'
	| 'invalid-part'
	| 'bad-digest'
	| 'part-too-small'
	| 'unequal-parts'
	| 'invalid-key'
	| 'labels-too-large'
	| 'too-large'
	| 'too-often'
	| 'disk-full'

/** The object store rejected a request. */
export class StorageRefusal extends Error {
	override name = 'StorageRefusal'
	readonly reason: RefusalReason

	constructor(reason: RefusalReason, cause?: unknown) {
		super(`object storage refused: ${reason}`, { cause })
		this.reason = reason
	}
}

export const isDiskFull = (error: unknown): boolean =>
	error instanceof StorageRefusal && error.reason === 'disk-full'
