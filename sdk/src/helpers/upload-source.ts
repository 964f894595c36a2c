import { type FilePart, openFile } from './upload-file.ts'
import { openStream } from './upload-stream.ts'

/** A Blob, the path of a file (Node, Deno and Bun), or a stream whose size is in `size`. */
export type UploadSource = Blob | string | ReadableStream<Uint8Array>

export type UploadBody = Blob | FilePart

/** A source that is being uploaded. */
export type OpenSource = {
	size: number
	/** Whether the same bytes can be read again, so that one request can send the whole source. */
	canRepeat: boolean
	/** The size of a chunk, unless the caller chooses one. */
	chunkBytes: number
	/** Returns the bytes from `start` to `end`, or fewer. A stream keeps only the last bytes that it returned. */
	read(start: number, end: number): Promise<UploadBody>
	close(): Promise<void>
}

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
