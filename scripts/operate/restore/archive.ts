import { type FileHandle, open } from 'node:fs/promises'
import { DamagedBackupError } from '../../../edge/operations/backups/format/chunk.ts'

const END_RECORD = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL_ENTRY = 0x04034b50
const END_RECORD_BYTES = 22
const ENTRY_BYTES = 46
/** The records and the field of zip64. */
const ZIP64_LOCATOR = 0x07064b50
const ZIP64_LOCATOR_BYTES = 20
const ZIP64_END = 0x06064b50
const ZIP64_END_BYTES = 56
const ZIP64_FIELD = 0x0001
const MAX_COMMENT_BYTES = 65_535

type Place = { offset: number; size: number }

/**
 * A downloaded backup: a zip of uncompressed files. Files are read in place, since a backup may be larger than memory.
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
			throw new DamagedBackupError(`${name} is not at its offset in the zip`)
		const start = place.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
		return new Uint8Array(await readAt(this.#file, start, place.size))
	}

	close(): Promise<void> {
		return this.#file.close()
	}
}

type Directory = { count: number; sizeBytes: number; offset: number }

/** Finds the table of contents at the end of the zip. */
async function findDirectory(file: FileHandle, fileBytes: number): Promise<Directory> {
	const tailBytes = Math.min(fileBytes, END_RECORD_BYTES + MAX_COMMENT_BYTES)
	const tail = await readAt(file, fileBytes - tailBytes, tailBytes)
	let at = tail.length - END_RECORD_BYTES
	while (at >= 0 && tail.readUInt32LE(at) !== END_RECORD) at--
	if (at < 0) throw new DamagedBackupError('the file is not a zip or is truncated')
	const locator = at - ZIP64_LOCATOR_BYTES
	if (locator >= 0 && tail.readUInt32LE(locator) === ZIP64_LOCATOR) {
		const end = await readAt(file, wholeNumber(tail, locator + 8), ZIP64_END_BYTES)
		if (end.readUInt32LE(0) !== ZIP64_END) throw damagedError()
		return { count: wholeNumber(end, 32), sizeBytes: wholeNumber(end, 40), offset: wholeNumber(end, 48) }
	}
	return {
		count: tail.readUInt16LE(at + 10),
		sizeBytes: tail.readUInt32LE(at + 12),
		offset: tail.readUInt32LE(at + 16),
	}
}

async function listPlaces(file: FileHandle): Promise<Map<string, Place>> {
	const { size: fileBytes } = await file.stat()
	const { count, sizeBytes, offset: start } = await findDirectory(file, fileBytes)
	// Checked before the allocation, whose size a damaged zip could claim.
	if (start + sizeBytes > fileBytes) throw shortError()
	const contents = await readAt(file, start, sizeBytes)
	const places = new Map<string, Place>()
	for (let entry = 0, at = 0; entry < count; entry++) {
		if (at + ENTRY_BYTES > contents.length || contents.readUInt32LE(at) !== ENTRY) throw damagedError()
		const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) =>
			contents.readUInt16LE(at + field),
		) as [number, number, number]
		const size = contents.readUInt32LE(at + 20)
		if (contents.readUInt16LE(at + 10) !== 0 || size === 0xffff_ffff)
			throw new DamagedBackupError('the zip was repacked; use the downloaded file')
		const extraStart = at + ENTRY_BYTES + nameBytes
		const name = contents.toString('utf8', at + ENTRY_BYTES, extraStart)
		const offset = contents.readUInt32LE(at + 42)
		const extra = contents.subarray(extraStart, extraStart + extraBytes)
		places.set(name, { size, offset: offset === 0xffff_ffff ? farOffset(extra) : offset })
		at = extraStart + extraBytes + commentBytes
	}
	return places
}

/**
 * Returns the offset of a file beyond 4 GiB from its zip64 field. Files are smaller than 4 GiB, so the field has no
 * sizes before it.
 */
function farOffset(extra: Buffer): number {
	for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
		if (extra.readUInt16LE(at) === ZIP64_FIELD && at + 12 <= extra.length) return wholeNumber(extra, at + 4)
	throw damagedError()
}

function wholeNumber(buffer: Buffer, at: number): number {
	const value = Number(buffer.readBigUInt64LE(at))
	if (!Number.isSafeInteger(value)) throw damagedError()
	return value
}

const damagedError = () => new DamagedBackupError('the central directory of the zip is damaged')
const shortError = () => new DamagedBackupError('the file is shorter than its central directory states')

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
	const buffer = Buffer.alloc(length)
	const { bytesRead } = await file.read(buffer, 0, length, position)
	if (bytesRead !== length) throw shortError()
	return buffer
}
