import { isHeaderText } from '../network/header-values.ts'
import type { Bucket, ByteRange, ObjectHead, ObjectLabels } from './bucket.ts'
import { type Disk, requireSpace } from './disk.ts'
import { type RefusalReason, StorageRefusal } from './storage-errors.ts'

/** R2's limit for one delete call. */
const DELETE_AT_ONCE = 1_000

// R2 puts the code at the end of the message.
const codeOf = (error: unknown): number =>
	Number(/\((\d{5,6})\)$/.exec(error instanceof Error ? error.message : '')?.[1])

const reasons: Record<number, RefusalReason> = {
	10011: 'part-too-small',
	10012: 'labels-too-large',
	10020: 'invalid-key',
	10024: 'no-such-upload',
	10025: 'invalid-part',
	10037: 'bad-digest',
	10048: 'unequal-parts',
	// R2 allows one write per second and key.
	10058: 'too-often',
	100100: 'too-large',
}

async function withRefusals<T>(work: Promise<T>): Promise<T> {
	try {
		return await work
	} catch (error) {
		const reason = reasons[codeOf(error)]
		throw reason ? new StorageRefusal(reason, error) : error
	}
}

const headOf = (object: R2Object): ObjectHead => ({
	key: object.key,
	sizeBytes: object.size,
	etag: object.etag,
	uploadedAt: object.uploaded.getTime(),
	digests: digestsOf(object.checksums),
	contentType: labelOf(object.httpMetadata?.contentType),
	cacheControl: labelOf(object.httpMetadata?.cacheControl),
	contentDisposition: labelOf(object.httpMetadata?.contentDisposition),
})

function digestsOf(checksums: R2Checksums): ObjectHead['digests'] {
	const { md5, sha256 } = checksums.toJSON()
	return { ...(md5 && { md5 }), ...(sha256 && { sha256 }) }
}

/** Drops invalid header values, because uploaders choose labels, also through R2's own API. */
const labelOf = (label: string | undefined): string | null => (label && isHeaderText(label) ? label : null)

const metadataOf = ({
	contentType,
	cacheControl,
	contentDisposition,
}: ObjectLabels): { httpMetadata: R2HTTPMetadata } => ({
	httpMetadata: {
		...(contentType !== undefined && { contentType }),
		...(cacheControl !== undefined && { cacheControl }),
		...(contentDisposition !== undefined && { contentDisposition }),
	},
})

function spanOf(range: ByteRange | undefined, size: number): { offset: number; length: number } {
	if (!range) return { offset: 0, length: size }
	if ('suffix' in range)
		return { offset: Math.max(0, size - range.suffix), length: Math.min(range.suffix, size) }
	return { offset: range.offset, length: Math.min(range.length ?? size, size - range.offset) }
}

export const r2Bucket = (r2: R2Bucket, disk?: Disk): Bucket => ({
	async put(key, body, { onlyIf, md5, ...labels } = {}) {
		await requireSpace(disk, body)
		const condition =
			onlyIf && (onlyIf === 'absent' ? { etagDoesNotMatch: '*' } : { etagMatches: onlyIf.etag })
		const object = await withRefusals(
			r2.put(key, body, {
				...metadataOf(labels),
				...(condition && { onlyIf: condition }),
				...(md5 && { md5 }),
			}),
		)
		// R2 returns null if the condition fails, although the types don't say so.
		return (object as R2Object | null) && headOf(object)
	},

	async get(key, { range, onlyIf } = {}) {
		const condition =
			onlyIf && ('etag' in onlyIf ? { etagMatches: onlyIf.etag } : { etagDoesNotMatch: onlyIf.otherThan })
		let object: R2ObjectBody | R2Object | null
		try {
			object = await r2.get(key, { ...(range && { range }), ...(condition && { onlyIf: condition }) })
		} catch (error) {
			// Compares the size, because not every R2 reports this with a code (the local one answers some ranges with
			// 500).
			const head = range ? await r2.head(key) : null
			if (!head || !range || spanOf(range, head.size).length > 0) throw error
			return { state: 'range-unsatisfiable', object: headOf(head) }
		}
		if (!object) return { state: 'missing' }
		if (!('body' in object)) return { state: 'condition-failed', object: headOf(object) }
		return { state: 'found', object: headOf(object), body: object.body, range: spanOf(range, object.size) }
	},

	async head(key) {
		const object = await r2.head(key)
		return object && headOf(object)
	},

	async delete(keys) {
		const all = typeof keys === 'string' ? [keys] : keys
		for (let i = 0; i < all.length; i += DELETE_AT_ONCE) await r2.delete(all.slice(i, i + DELETE_AT_ONCE))
	},

	async list(prefix, cursor, limit = 1_000) {
		const found = await r2.list({ prefix, limit, ...(cursor && { cursor }) })
		return {
			objects: found.objects
				.map(headOf)
				.map(({ key, sizeBytes, etag, uploadedAt }) => ({ key, sizeBytes, etag, uploadedAt })),
			cursor: found.truncated ? found.cursor : null,
		}
	},

	async createMultipart(key, labels = {}) {
		const { uploadId } = await withRefusals(r2.createMultipartUpload(key, metadataOf(labels)))
		return { uploadId }
	},

	async uploadPart(key, uploadId, partNumber, body) {
		await requireSpace(disk, body)
		const { etag } = await withRefusals(r2.resumeMultipartUpload(key, uploadId).uploadPart(partNumber, body))
		return { partNumber, etag }
	},

	// R2 rejects parts that are not sorted by number.
	completeMultipart: async (key, uploadId, parts) =>
		headOf(
			await withRefusals(
				r2
					.resumeMultipartUpload(key, uploadId)
					.complete(parts.toSorted((a, b) => a.partNumber - b.partNumber)),
			),
		),

	abortMultipart: (key, uploadId) => withRefusals(r2.resumeMultipartUpload(key, uploadId).abort()),
})
