import { UnreadableSourceError } from '../errors.ts'
import { loadNodeModule } from './node-module.ts'
import { sendByNode } from './node-request.ts'
import type { FilePart, OpenSource } from './upload-parts.ts'

type Stats = { size: number; mtimeMs: number; isFile(): boolean }
type FileHandle = {
	stat(): Promise<Stats>
	read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
	close(): Promise<void>
}
type FileSystem = { stat(path: string): Promise<Stats>; open(path: string): Promise<FileHandle> }

const PIECE_BYTES = 64 * 1024

/** Opens a file for an upload. `openAsBlob` of Node wraps the size of files of 4 GiB or more. */
export async function openFile(path: string): Promise<Omit<OpenSource, 'chunkBytes'>> {
	const { stat, open } = await loadNodeModule<FileSystem>('node:fs/promises')
	const unreadable = (cause: unknown) =>
		new UnreadableSourceError(`${path} can't be read; check the path and its permissions`, { cause })
	const found = await stat(path).catch((error) => Promise.reject(unreadable(error)))
	// Opening a named pipe would wait for its writer.
	if (!found.isFile())
		throw new TypeError(`${path} is not a regular file; pass a file, or a stream with its size`)
	const file = await open(path).catch((error) => Promise.reject(unreadable(error)))
	const { size, mtimeMs } = await file.stat()
	const changed = () =>
		new UnreadableSourceError(`${path} changed during the upload; upload the file again, without its state`)
	return {
		size,
		canRepeat: true,
		async read(start, end) {
			const now = await file.stat()
			if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed()
			return openPart(end - start, async (buffer, position) => {
				const length = Math.min(buffer.length, end - start - position)
				const { bytesRead } = await file.read(buffer, 0, length, start + position)
				if (bytesRead === 0) throw changed()
				return bytesRead
			})
		},
		close: () => file.close(),
	}
}

const openPart = (size: number, read: FilePart['read']): FilePart => ({
	size,
	read,
	send(url, init, watch) {
		return sendByNode(url, { ...init, body: this }, watch)
	},
	stream() {
		let position = 0
		return new ReadableStream(
			{
				async pull(controller) {
					const buffer = new Uint8Array(PIECE_BYTES)
					const length = await read(buffer, position)
					position += length
					controller.enqueue(buffer.subarray(0, length))
					if (position === size) controller.close()
				},
			},
			{ highWaterMark: 0 },
		)
	},
})
