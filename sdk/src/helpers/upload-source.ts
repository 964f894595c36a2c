import { openFile } from './upload-file.ts'
import type { OpenSource } from './upload-parts.ts'
import { openStream } from './upload-stream.ts'

/** A Blob, the path of a file (Node, Deno and Bun), or a stream whose size is in `size`. */
export type UploadSource = Blob | string | ReadableStream<Uint8Array>

/** Every plan of Cloudflare accepts requests of this size. */
const CHUNK_BYTES = 50 * 1024 ** 2

type SourceOptions = { size?: number; signal?: AbortSignal }

export async function openSource(source: UploadSource, options: SourceOptions): Promise<OpenSource> {
	if (source instanceof ReadableStream) return openStream(source, options)
	const opened =
		typeof source === 'string' ? { chunkBytes: CHUNK_BYTES, ...(await openFile(source)) } : openBlob(source)
	const { size = opened.size } = options
	if (opened.size === size) return opened
	await opened.close()
	throw new TypeError(`size is ${size}, but the file has ${opened.size} bytes; remove size`)
}

const openBlob = (blob: Blob): OpenSource => ({
	size: blob.size,
	canRepeat: true,
	chunkBytes: CHUNK_BYTES,
	read: async (start, end) => blob.slice(start, end),
	close: async () => {},
})
