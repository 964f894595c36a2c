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
