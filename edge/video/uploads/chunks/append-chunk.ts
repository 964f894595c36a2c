import type { Bucket } from '../../../platform/storage/bucket.ts'
import { readBody } from '../body-reader.ts'
import { receiveParts } from '../tus/receive.ts'
import type { UploadLedger, UploadRecord } from '../tus/upload-ledger.ts'
import { comparePieces, createPieceHasher } from './pieces.ts'

export type Chunk = {
	/** The id of the upload. */
	id: string
	start: number
	bytes: number
	totalBytes: number
	/** Values for an upload that the first chunk may begin; null if the sender may only continue one. */
	begin: Pick<UploadRecord, 'key' | 'contentType' | 'expiresAt'> | null
	now: number
}

export type NewFile = Pick<UploadRecord, 'key' | 'contentType' | 'expiresAt' | 'lengthBytes'>

/** Returns the upload afterwards, or null if there is none of this file. */
export type ChunkReceived =
	| { refused: 'other-file' | 'not-comparable' }
	| { refused: null; record: UploadRecord | null }

/**
 * Appends the chunk's new bytes. Compares stored bytes with those sent: a difference restarts the file with the first
 * chunk, and ends the upload with a later one, because two files may be mixed. A chunk beyond the stored bytes
 * changes nothing.
 */
export async function appendChunk(
	chunk: Chunk,
	current: UploadRecord | null,
	body: ReadableStream | null,
	{
		vault,
		ledger,
		signal,
		begin,
		drop,
	}: {
		vault: Bucket
		ledger: UploadLedger
		signal: AbortSignal
		begin(file: NewFile): Promise<UploadRecord>
		drop(): Promise<void>
	},
): Promise<ChunkReceived> {
	const { start, bytes, totalBytes } = chunk
	let record = current?.lengthBytes === totalBytes ? current : null
	const reader = readBody(body, signal)
	const beginFile = async () => {
		if (!chunk.begin) return null
		return begin({ ...chunk.begin, lengthBytes: totalBytes })
	}
	try {
		if (start === 0 && !record) {
			// An immediately broken connection proves nothing about the file.
			if ((await reader.peek(1)).byteLength === 0) return { refused: null, record }
			record = await beginFile()
		}
		if (!record || start > record.offset) return { refused: null, record }
		const stop = Math.min(record.offset, start + bytes)
		const { comparison, readBytes } = await comparePieces(reader, ledger.pieces(start, stop), start, stop)
		if (comparison === 'broken') return { refused: null, record }
		let skipped = stop - start
		if (comparison !== 'equal') {
			if (start > 0) {
				if (comparison === 'not-comparable') return { refused: 'not-comparable' }
				if (record.offset !== totalBytes) await drop()
				return { refused: 'other-file' }
			}
			record = await beginFile()
			// The bytes read are gone, so the sender must resend the chunk.
			if (!record || readBytes > 0) return { refused: null, record }
			skipped = 0
		}
		const room = bytes - skipped
		if (room === 0) return { refused: null, record }
		ledger.dropPieces(record.offset)
		const pieces = createPieceHasher(record.offset, (piece) => ledger.addPiece(piece))
		const received = { vault, ledger, record, reader, bodyBytes: room, room, checksum: null, pieces }
		return { refused: null, record: (await receiveParts(received)).record }
	} finally {
		await reader.cancel()
	}
}
