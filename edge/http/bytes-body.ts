import { AppError } from './errors.ts'

/** A whole body of at most so many bytes; for files that are looked into before they are kept. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
	const tooLarge = () => new AppError('too_large', `the body is larger than ${maxBytes} bytes`)
	const length = Number(request.headers.get('content-length') ?? 0)
	if (length > maxBytes) {
		// Left unread, a body keeps the connection busy.
		await request.body?.cancel()
		throw tooLarge()
	}
	const chunks: Uint8Array[] = []
	let size = 0
	try {
		for await (const chunk of request.body ?? []) {
			size += chunk.byteLength
			if (size > maxBytes) throw tooLarge()
			chunks.push(chunk)
		}
	} catch (error) {
		if (error instanceof AppError) throw error
		throw new AppError('malformed', 'the body broke off', { cause: error })
	}
	if (size === 0) throw new AppError('malformed', 'the body is empty')
	if (size < length) throw new AppError('malformed', 'the body broke off')
	const bytes = new Uint8Array(size)
	let at = 0
	for (const chunk of chunks) {
		bytes.set(chunk, at)
		at += chunk.byteLength
	}
	return bytes
}
