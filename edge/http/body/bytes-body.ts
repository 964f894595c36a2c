import { AppError } from '../errors.ts'
import { readContentLength } from '../headers.ts'
import { readBodyChunks } from './body-chunks.ts'

/** Reads a whole body of at most `maxBytes`, for files that are checked before they are stored. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = await readOptionalBytes(request, maxBytes)
	if (bytes.byteLength === 0) throw new AppError('malformed', 'the body is empty')
	return bytes
}

/** Like `readBytes`, but returns an empty array for a request without a body. */
export async function readOptionalBytes(
	request: Request,
	maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const chunks: Uint8Array[] = []
	let size = 0
	for await (const chunk of readBodyChunks(request, maxBytes)) {
		size += chunk.byteLength
		chunks.push(chunk)
	}
	if (size < (readContentLength(request.headers) ?? 0))
		throw new AppError('malformed', 'the body ended early; send it again')
	const bytes = new Uint8Array(size)
	let at = 0
	for (const chunk of chunks) {
		bytes.set(chunk, at)
		at += chunk.byteLength
	}
	return bytes
}
