import { type FileHandle, open } from 'node:fs/promises'
import { DamagedBackupError } from '../../edge/backups/format/chunk.ts'

const END_RECORD = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
const END_RECORD_BYTES = 22
const MAX_COMMENT_BYTES = 65_535

type Place = { offset: number; size: number }

/**
 * A backup as it was downloaded: a zip whose files are stored without compression. Files are read where they lie, since a
 * backup may be larger than memory.
 */
export class Archive {
	readonly #file: FileHandle
	readonly #places: ReadonlyMap<string, Place>

	private constructor(file: FileHandle, places: ReadonlyMap<string, Place>) {
		this.#file = file
		this.#places = places
	}

	static async open(path: string): Promise<Archive> {
		const file = await open(path)
		try {
			return new Archive(file, await listPlaces(file))
		} catch (error) {
			await file.close()
			throw error
		}
	}

	async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
		const place = this.#places.get(name)
		if (!place) throw new DamagedBackupError(`the file has no ${name}`)
		const local = await readAt(this.#file, place.offset, 30)
		if (local.readUInt32LE(0) !== LOCAL_ENTRY)
			throw new DamagedBackupError(`${name} is not where the zip says`)
		const start = place.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
		return new Uint8Array(await readAt(this.#file, start, place.size))
	}

	close(): Promise<void> {
		return this.#file.close()
	}
}

/** Reads the table of contents at the end of the zip. */
async function listPlaces(file: FileHandle): Promise<Map<string, Place>> {
	const { size } = await file.stat()
	const tailBytes = Math.min(size, END_RECORD_BYTES + MAX_COMMENT_BYTES)
	const tail = await readAt(file, size - tailBytes, tailBytes)
	let at = tail.length - END_RECORD_BYTES
	while (at >= 0 && tail.readUInt32LE(at) !== END_RECORD) at--
	if (at < 0) throw new DamagedBackupError('the file is no zip, or its end is missing')
	const count = tail.readUInt16LE(at + 10)
	const contents = await readAt(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12))
	const places = new Map<string, Place>()
	for (let entry = 0, offset = 0; entry < count; entry++) {
		if (offset + 46 > contents.length || contents.readUInt32LE(offset) !== ENTRY)
			throw new DamagedBackupError('the table of contents of the zip is damaged')
		const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
			contents.readUInt16LE(offset + field),
		) as [number, number, number]
		if (contents.readUInt16LE(offset + 10) !== 0)
			throw new DamagedBackupError('the zip was packed again; use the file as it was downloaded')
		const name = contents.toString('utf8', offset + 46, offset + 46 + nameBytes)
		places.set(name, { offset: contents.readUInt32LE(offset + 42), size: contents.readUInt32LE(offset + 20) })
		offset += 46 + nameBytes + extraBytes + commentBytes
	}
	return places
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
	const buffer = Buffer.alloc(length)
	const { bytesRead } = await file.read(buffer, 0, length, position)
	if (bytesRead !== length)
		throw new DamagedBackupError('the file is shorter than its table of contents says')
	return buffer
}
