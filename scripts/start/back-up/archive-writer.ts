import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import {
	type StoredFile,
	writeDirectory,
	writeLocalHeader,
} from '../../../edge/operations/backups/download/zip.ts'

export type ArchiveWriter = {
	add(name: string, bytes: Uint8Array): Promise<void>
	end(): Promise<void>
}

/** Writes a zip as a download of a backup has it, with one file in memory at a time. */
export function openArchiveWriter(file: FileHandle, modifiedAt: number): ArchiveWriter {
	const files: StoredFile[] = []
	return {
		async add(name, bytes) {
			const stored = { name, sizeBytes: bytes.length, crc32: crc32(bytes) }
			files.push(stored)
			await file.writeFile(writeLocalHeader(stored, modifiedAt))
			await file.writeFile(bytes)
		},
		async end() {
			await file.writeFile(writeDirectory(files, modifiedAt))
		},
	}
}
