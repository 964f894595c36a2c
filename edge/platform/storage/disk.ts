import type { ObjectBody } from './bucket.ts'
import { StorageRefusal } from './storage-errors.ts'

/** The disk of a local run, which reports its free bytes. Cloudflare has none. */
export type Disk = Fetcher

/**
 * Reserved, so that people can still sign in and delete things. The dev proxy rejects other requests below this, too.
 */
const RESERVED_BYTES = 64 * 1024 ** 2
/** Smaller objects are still written, such as the checkpoint of each minute. */
const SMALL_BYTES = 64 * 1024

export const readFreeBytes = async (disk: Disk): Promise<number> =>
	Number(await (await disk.fetch('http://disk/')).text())

/** Throws if a local disk has no space for an object or part. On a full disk, Miniflare's R2 hangs. */
export async function requireSpace(disk: Disk | undefined, body: ObjectBody): Promise<void> {
	if (!disk) return
	const length = lengthOf(body)
	if (length !== null && length <= SMALL_BYTES) return
	if ((await readFreeBytes(disk)) - (length ?? 0) < RESERVED_BYTES) throw new StorageRefusal('disk-full')
}

/** Returns null for a stream. */
function lengthOf(body: ObjectBody): number | null {
	if (typeof body === 'string') return body.length
	if (body instanceof ReadableStream) return null
	return body instanceof Blob ? body.size : body.byteLength
}
