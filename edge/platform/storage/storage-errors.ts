/** Nothing to sign with: neither S3 credentials nor AUTH_SECRET, or no address to lead to. Bytes still work. */
export class StorageNotConfiguredError extends Error {
	override name = 'StorageNotConfiguredError'
	readonly code = 'not_configured'
}

export type RefusalReason =
	| 'no-such-upload'
	| 'invalid-part'
	| 'part-too-small'
	| 'unequal-parts'
	| 'invalid-key'
	| 'labels-too-large'
	| 'too-large'
	| 'too-often'

/** The store has the request and does not want it. */
export class StorageRefusal extends Error {
	override name = 'StorageRefusal'
	readonly reason: RefusalReason

	constructor(reason: RefusalReason, cause: unknown) {
		super(`object storage refused: ${reason}`, { cause })
		this.reason = reason
	}
}
