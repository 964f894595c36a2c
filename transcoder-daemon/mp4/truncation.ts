import { open } from 'node:fs/promises'
import { EBML, readElementSize, SEGMENT } from '../source-heads/ebml.ts'
import { fileReader, type ReadBytes, ReadWindow } from '../source-heads/read-window.ts'
import { findSamplesEnd } from './sample-table.ts'

/** More boxes than a day of fragments has; a hostile file may consist of nothing else. */
const MAX_BOXES = 200_000

/**
 * Whether the file by its own account continues past its end, as after an interrupted upload. Programs read such a file
 * without a warning and treat it as complete.
 */
export async function isTruncated(path: string): Promise<boolean> {
	await using file = await open(path)
	const { size } = await file.stat()
	const readAt = fileReader(file)
	return (await endsWithinTag(readAt, size)) || (await recordedEnd(readAt, size)) > size
}

/** Returns where the top-level parts end by their own account; 0 for formats without sizes. */
async function recordedEnd(readAt: ReadBytes, size: number): Promise<number> {
	const head = await readAt(0, 16)
	if (head.length < 16) return 0
	if (head.readUInt32BE(0) === EBML) return endOfSegment(readAt, size)
	if (/^RIFF|RF64$/.test(head.toString('latin1', 0, 4))) return endOfRiff(readAt, size)
	return endOfBoxes(readAt, size)
}

/** Only these types count, since the data after the last box of some files is not a box. */
const BOX_TYPES = /^(ftyp|styp|moov|moof|mdat|mfra|sidx|emsg|prft|free|skip|wide|udta|meta|uuid|pnot|PICT)$/

/** Larger than the table of a day of video and audio. */
const MAX_MOOV_BYTES = 128 * 1024 ** 2

/**
 * Returns the recorded end. Some writers record too large an `mdat`; then the table of sample positions decides, except
 * in fragmented files, whose table is incomplete.
 */
async function endOfBoxes(readAt: ReadBytes, fileSize: number): Promise<number> {
	const heads = new ReadWindow(readAt)
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
	return findSamplesEnd(await readAt(table.at, table.size)) ?? at
}

/** Chunks of odd length are padded, but not every writer pads the last one. */
const PADDING = 1

async function endOfRiff(readAt: ReadBytes, fileSize: number): Promise<number> {
	let end = 0
	// Above a gigabyte, AVI continues in further RIFF chunks.
	for (let chunks = 0; chunks < MAX_BOXES && end < fileSize; chunks++) {
		const head = await readAt(end, 8)
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
async function endsWithinTag(readAt: ReadBytes, size: number): Promise<boolean> {
	const head = await readAt(0, 3)
	if (head.toString('latin1') !== 'FLV') return false
	const tail = await readAt(size - 4, 4)
	const length = tail.length < 4 ? 0 : tail.readUInt32BE(0)
	if (length < FLV_TAG_HEAD || length > size) return true
	const tag = await readAt(size - 4 - length, 4)
	return tag.length < 4 || tag.readUIntBE(1, 3) + FLV_TAG_HEAD !== length
}

async function endOfSegment(readAt: ReadBytes, fileSize: number): Promise<number> {
	let at = 0
	for (let elements = 0; elements < 16 && at < fileSize; elements++) {
		const head = await readAt(at, 16)
		const size = head.length < 12 ? null : readElementSize(head.subarray(4))
		if (size === null || size.value === null) return 0
		at += 4 + size.length + size.value
		if (head.readUInt32BE(0) === SEGMENT) return at
		if (head.readUInt32BE(0) !== EBML) return 0
	}
	return 0
}
