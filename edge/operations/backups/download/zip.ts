import { Fields, type StoredFile } from './zip-fields.ts'

/**
 * Writes zips of uncompressed files, with zip64 records where needed, which fflate does not support. Sizes are known in
 * advance, so a download has a Content-Length. Format: PKWARE's APPNOTE.TXT, 4.3 and 4.5.3.
 */
export type { StoredFile }

/** Values from these limits on don't fit their field and go into a zip64 record. */
export type ZipLimits = { bytes: number; files: number }
export const zipLimits: ZipLimits = { bytes: 0xffff_ffff, files: 0xffff }

const VERSION = 20
const VERSION_OF_ZIP64 = 45
const ZIP64_FIELD = 0x0001
const LOCAL_BYTES = 30
const ENTRY_BYTES = 46
const ZIP64_FIELD_BYTES = 12
const END_BYTES = 22
const ZIP64_END_BYTES = 56
const ZIP64_LOCATOR_BYTES = 20

const encoder = new TextEncoder()

/** Returns the header that precedes the bytes of a file. A file must be smaller than 4 GiB. */
export function writeLocalHeader(file: StoredFile, modifiedAt: number): Uint8Array {
	const name = encoder.encode(file.name)
	return new Fields(LOCAL_BYTES + name.length)
		.u32(0x04034b50)
		.u16(VERSION)
		.common(file, name, modifiedAt)
		.u16(0)
		.bytes(name).result
}

/** Returns the central directory, which follows the last file. */
export function writeDirectory(
	files: readonly StoredFile[],
	modifiedAt: number,
	limits: ZipLimits = zipLimits,
): Uint8Array {
	const { offsets, start, sizeBytes, isZip64 } = layoutOf(files, limits)
	const fields = new Fields(sizeBytes + endBytes(isZip64))
	for (const [at, file] of files.entries()) {
		const offset = offsets[at] ?? 0
		const isFar = offset >= limits.bytes
		const name = encoder.encode(file.name)
		fields
			.u32(0x02014b50)
			.u16(VERSION_OF_ZIP64)
			.u16(isFar ? VERSION_OF_ZIP64 : VERSION)
			.common(file, name, modifiedAt)
			.u16(isFar ? ZIP64_FIELD_BYTES : 0)
			// Comment, disk and attributes.
			.skip(10)
			.u32(isFar ? 0xffff_ffff : offset)
			.bytes(name)
		if (isFar) fields.u16(ZIP64_FIELD).u16(8).u64(offset)
	}
	if (isZip64)
		fields
			.u32(0x06064b50)
			.u64(ZIP64_END_BYTES - 12)
			.u16(VERSION_OF_ZIP64)
			.u16(VERSION_OF_ZIP64)
			.skip(8)
			.u64(files.length)
			.u64(files.length)
			.u64(sizeBytes)
			.u64(start)
			.u32(0x07064b50)
			.skip(4)
			.u64(start + sizeBytes)
			.u32(1)
	const count = isZip64 ? 0xffff : files.length
	return fields
		.u32(0x06054b50)
		.skip(4)
		.u16(count)
		.u16(count)
		.u32(isZip64 ? 0xffff_ffff : sizeBytes)
		.u32(isZip64 ? 0xffff_ffff : start).result
}

export function computeZipSize(
	files: readonly Omit<StoredFile, 'crc32'>[],
	limits: ZipLimits = zipLimits,
): number {
	const { start, sizeBytes, isZip64 } = layoutOf(files, limits)
	return start + sizeBytes + endBytes(isZip64)
}

const endBytes = (isZip64: boolean): number =>
	END_BYTES + (isZip64 ? ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : 0)

function layoutOf(files: readonly Omit<StoredFile, 'crc32'>[], limits: ZipLimits) {
	const offsets: number[] = []
	let start = 0
	let sizeBytes = 0
	for (const file of files) {
		offsets.push(start)
		const nameBytes = encoder.encode(file.name).length
		sizeBytes += ENTRY_BYTES + nameBytes + (start >= limits.bytes ? ZIP64_FIELD_BYTES : 0)
		start += LOCAL_BYTES + nameBytes + file.sizeBytes
	}
	const isZip64 = files.length >= limits.files || start >= limits.bytes || sizeBytes >= limits.bytes
	return { offsets, start, sizeBytes, isZip64 }
}
