import { toBase64 } from '../../../platform/tokens/digest.ts'
import type { BodyReader } from '../body-reader.ts'

/** Pieces end at multiples of this. It divides a part, and clients send multiples of it. */
export const PIECE_BYTES = 256 * 1024

/** Stored bytes with their SHA-256, for comparing resent bytes. */
export type Piece = { start: number; stop: number; digest: string }

const digestPiece = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
	toBase64(await crypto.subtle.digest('SHA-256', bytes))

/** Cuts received bytes into pieces. `onPiece` is called for each in order. */
export function createPieceHasher(offset: number, onPiece: (piece: Piece) => void) {
	const buffer = new Uint8Array(PIECE_BYTES)
	let start = offset
	let filled = 0

	async function end(): Promise<void> {
		if (filled === 0) return
		const digest = await digestPiece(buffer.subarray(0, filled))
		onPiece({ start, stop: start + filled, digest })
		start += filled
		filled = 0
	}

	return {
		async add(bytes: Uint8Array): Promise<void> {
			for (let at = 0; at < bytes.byteLength; ) {
				const room = PIECE_BYTES - (start % PIECE_BYTES) - filled
				const part = bytes.subarray(at, at + room)
				buffer.set(part, filled)
				filled += part.byteLength
				at += part.byteLength
				if (part.byteLength === room) await end()
			}
		},
		/** Ends the last piece. */
		end,
	}
}

/** The result of comparing sent with stored bytes; `broken` if the body ended early. */
export type Comparison = 'equal' | 'different' | 'not-comparable' | 'broken'

/**
 * Compares the bytes from `start` (inclusive) to `stop` (exclusive) with the overlapping pieces. Also returns the
 * number of bytes read; a first piece that differs is only peeked at.
 */
export async function comparePieces(
	reader: BodyReader,
	pieces: readonly Piece[],
	start: number,
	stop: number,
): Promise<{ comparison: Comparison; readBytes: number }> {
	let at = start
	const buffer = new Uint8Array(PIECE_BYTES)
	const result = (comparison: Comparison) => ({ comparison, readBytes: at - start })
	for (const piece of pieces) {
		if (piece.start !== at || piece.stop > stop) return result('not-comparable')
		const bytes = piece.stop - piece.start
		// Peeked bytes are read again if the file begins with them.
		const sent = at === start ? await reader.peek(bytes) : buffer.subarray(0, bytes)
		const filled = at === start ? sent.byteLength : (await reader.fill(buffer, 0, bytes)).filled
		if (filled < bytes) return result('broken')
		if ((await digestPiece(sent)) !== piece.digest) return result('different')
		if (at === start) await reader.skip(bytes)
		at = piece.stop
	}
	return result(at === stop ? 'equal' : 'not-comparable')
}
