import { bodyChunks } from './body-chunks.ts'
import { AppError } from './errors.ts'

/** A whole body of at most so many bytes; for files that are looked into before they are kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const chunks: Uint8Array[] = []
	let size = 0
	for await (const chunk of bodyChunks(request, maxBytes)) {
		size += chunk.byteLength
		chunks.push(chunk)
	}
	if (size === 0) throw new AppError('malformed', 'the body is empty')
	if (size < Number(request.headers.get('content-length') ?? 0))
		throw new AppError('malformed', 'the body broke off')
	const bytes = new Uint8Array(size)
	let at = 0
	for (const chunk of chunks) {
		bytes.set(chunk, at)
		at += chunk.byteLength
	}
	return bytes
}
