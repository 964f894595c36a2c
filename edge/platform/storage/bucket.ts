/** The vault is private (sources, downloads, backups); players fetch from media. */
export type BucketName = 'vault' | 'media'

/** A stream must have a known length: the body of a request or response, or a `FixedLengthStream`. */
export type ObjectBody = ReadableStream | ArrayBuffer | ArrayBufferView | Blob | string

export type ObjectHead = {
	key: string
	sizeBytes: number
	/** The ETag without quotes, as in the calls below. */
	etag: string
	uploadedAt: number
	/** Hexadecimal digests, if the store knows them: multipart uploads have none. */
	digests: { md5?: string; sha256?: string }
	contentType: string | null
	cacheControl: string | null
	contentDisposition: string | null
}

export type ByteRange = { offset: number; length?: number } | { suffix: number }

export type GetAnswer =
	| { state: 'found'; object: ObjectHead; body: ReadableStream; range: { offset: number; length: number } }
	| { state: 'missing' }
	/** The object exists, but `onlyIf` does not hold. */
	| { state: 'condition-failed'; object: ObjectHead }
	| { state: 'range-unsatisfiable'; object: ObjectHead }

export type PutOptions = ObjectLabels & {
	onlyIf?: 'absent' | { etag: string }
	/** The expected digest; a mismatch stores nothing and throws `bad-digest`. */
	md5?: Uint8Array<ArrayBuffer>
}
export type ObjectLabels = { contentType?: string; cacheControl?: string; contentDisposition?: string }

export type UploadedPart = { partNumber: number; etag: string }

/** Throws `StorageRefusal` if R2 rejects a call for a known reason, and a plain error otherwise. */
export type Bucket = {
	/** Writes nothing and returns null if `onlyIf` does not hold. */
	put(key: string, body: ObjectBody, options?: PutOptions): Promise<ObjectHead | null>
	get(
		key: string,
		options?: { range?: ByteRange; onlyIf?: { etag: string } | { otherThan: string } },
	): Promise<GetAnswer>
	head(key: string): Promise<ObjectHead | null>
	/** Deletes objects; missing ones are ignored. */
	delete(keys: string | readonly string[]): Promise<void>
	/** Lists objects in the order of keys, without labels; `head` returns them. */
	list(
		prefix: string,
		cursor?: string | null,
		limit?: number,
	): Promise<{ objects: ListedObject[]; cursor: string | null }>
	/** All parts must have the same size (5 MiB to 4.995 GiB), except the last one, which may be smaller. */
	createMultipart(key: string, labels?: ObjectLabels): Promise<{ uploadId: string }>
	uploadPart(key: string, uploadId: string, partNumber: number, body: ObjectBody): Promise<UploadedPart>
	completeMultipart(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<ObjectHead>
	abortMultipart(key: string, uploadId: string): Promise<void>
}
export type ListedObject = Pick<ObjectHead, 'key' | 'sizeBytes' | 'etag' | 'uploadedAt'>
