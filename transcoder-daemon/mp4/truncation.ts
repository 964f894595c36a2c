import { type FileHandle, open } from 'node:fs/promises'
import { endOfSamples } from './sample-table.ts'

/** More boxes than a day of fragments has; a hostile file may consist of nothing else. */
const MAX_BOXES = 200_000

/**
 * Whether the file by its own account continues past its end, as after an interrupted upload. Programs read such a file
 * without a warning and treat it as complete.
 */
export async function isTruncated(path: string): Promise<boolean> {
	await using file = await open(path)
	const { size } = await file.stat()
	return (await endsWithinTag(file, size)) || (await recordedEnd(file, size)) > size
}

/** Returns where the top-level parts end by their own account; 0 for formats without sizes. */
async function recordedEnd(file: FileHandle, size: number): Promise<number> {
	const head = await readAt(file, 0, 16)
	if (head.length < 16) return 0
	if (head.readUInt32BE(0) === EBML) return endOfSegment(file, size)
	if (/^RIFF|RF64$/.test(head.toString('latin1', 0, 4))) return endOfRiff(file, size)
	return endOfBoxes(file, size)
}

/** Only these types count, since the data after the last box of some files is not a box. */
const BOX_TYPES = /^(ftyp|styp|moov|moof|mdat|mfra|sidx|emsg|prft|free|skip|wide|udta|meta|uuid|pnot|PICT)$/

/** Larger than the table of a day of video and audio. */
const MAX_MOOV_BYTES = 128 * 1024 ** 2

/**
 * Returns the recorded end. Some writers record too large an `mdat`; then the table of sample positions decides, except
 * in fragmented files, whose table is incomplete.
 */
async function endOfBoxes(file: FileHandle, fileSize: number): Promise<number> {
	const heads = new ReadWindow(file)
	let at = 0
	let last = ''
	let table: { at: number; size: number } | null = null
	let isFragmented = false
	for (let boxes = 0; boxes < MAX_BOXES && at < fileSize; boxes++) {
		const head = await heads.read(at, 16)
		if (head.length < 8 || !BOX_TYPES.test(head.toString('latin1', 4, 8))) break
		let size = head.readUInt32BE(0)
		// 0: to the end of the file; 1: the 64-bit size follows.
		if (size === 0) break
		if (size === 1) size = head.length < 16 ? 0 : Number(head.readBigUInt64BE(8))
		if (size < 8) break
		last = head.toString('latin1', 4, 8)
		if (last === 'moov') table = { at, size }
		if (last === 'moof') isFragmented = true
		at += size
	}
	if (at <= fileSize || last !== 'mdat' || !table || isFragmented || table.size > MAX_MOOV_BYTES) return at
	return endOfSamples(await readAt(file, table.at, table.size)) ?? at
}

/** Chunks of odd length are padded, but not every writer pads the last one. */
const PADDING = 1

async function endOfRiff(file: FileHandle, fileSize: number): Promise<number> {
	let end = 0
	// Above a gigabyte, AVI continues in further RIFF chunks.
	for (let chunks = 0; chunks < MAX_BOXES && end < fileSize; chunks++) {
		const head = await readAt(file, end, 8)
		if (head.length < 8 || head.toString('latin1', 0, 4) !== 'RIFF') break
		const size = head.readUInt32LE(4)
		// Writers to a pipe don't know the size.
		if (size === 0 || size === 0xffffffff) break
		end += 8 + size + (size % 2)
	}
	return end - PADDING
}

const FLV_TAG_HEAD = 11

/** FLV repeats each tag's length behind it; the last four bytes must match the last tag. */
async function endsWithinTag(file: FileHandle, size: number): Promise<boolean> {
	const head = await readAt(file, 0, 3)
	if (head.toString('latin1') !== 'FLV') return false
	const tail = await readAt(file, size - 4, 4)
	const length = tail.length < 4 ? 0 : tail.readUInt32BE(0)
	if (length < FLV_TAG_HEAD || length > size) return true
	const tag = await readAt(file, size - 4 - length, 4)
	return tag.length < 4 || tag.readUIntBE(1, 3) + FLV_TAG_HEAD !== length
}

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067

async function endOfSegment(file: FileHandle, fileSize: number): Promise<number> {
	let at = 0
	for (let elements = 0; elements < 16 && at < fileSize; elements++) {
		const head = await readAt(file, at, 16)
		const size = head.length < 12 ? null : readElementSize(head.subarray(4))
		if (size === null || size.value === null) return 0
		at += 4 + size.length + size.value
		if (head.readUInt32BE(0) === SEGMENT) return at
		if (head.readUInt32BE(0) !== EBML) return 0
	}
	return 0
}

/** Parses a Matroska number of one to eight bytes; all bits set means unknown. */
function readElementSize(bytes: Buffer): { length: number; value: number | null } | null {
	const first = bytes.readUInt8(0)
	const length = Math.clz32(first) - 23
	if (length > 8) return null
	let value = BigInt(first & (0xff >> length))
	for (let at = 1; at < length; at++) value = value * 256n + BigInt(bytes.readUInt8(at))
	const unknown = (1n << BigInt(7 * length)) - 1n
	return { length, value: value === unknown ? null : Number(value) }
}

const WINDOW_BYTES = 64 * 1024

/** Reads a block of the file at once, for box headers close together. */
class ReadWindow {
	readonly #file: FileHandle
	#begin = 0
	#bytes: Buffer = Buffer.alloc(0)

	constructor(file: FileHandle) {
		this.#file = file
	}

	async read(position: number, length: number): Promise<Buffer> {
		const at = position - this.#begin
		if (at >= 0 && at + length <= this.#bytes.length) return this.#bytes.subarray(at, at + length)
		this.#begin = position
		this.#bytes = await readAt(this.#file, position, WINDOW_BYTES)
		return this.#bytes.subarray(0, length)
	}
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
	if (position < 0) return Buffer.alloc(0)
	const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
	return buffer.subarray(0, bytesRead)
}
