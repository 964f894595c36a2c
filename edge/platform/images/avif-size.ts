import { type Box, BoxReader, boxesIn, onlyBox } from './boxes.ts'
import type { Size } from './image-size.ts'
import { DamagedImageError } from './pieces.ts'

/** The version and flags at the start of `meta`. */
export const VERSION_BYTES = 4

export const metaBoxes = (bytes: Uint8Array, { body, end }: Box): Box[] =>
	boxesIn(bytes, Math.min(body + VERSION_BYTES, end), end)

/** Returns the largest width and height that an AVIF declares, or null if it declares none. */
export function sizeOfAvif(bytes: Uint8Array): Size | null {
	try {
		const meta = onlyBox(boxesIn(bytes, 0, bytes.byteLength), 'meta')
		const properties = onlyBox(metaBoxes(bytes, meta), 'iprp')
		const list = onlyBox(boxesIn(bytes, properties.body, properties.end), 'ipco')
		const extents = boxesIn(bytes, list.body, list.end).filter(({ name }) => name === 'ispe')
		const sizes = extents.map((box) => {
			const reader = new BoxReader(bytes, box)
			reader.uint(4)
			return { width: reader.uint(4), height: reader.uint(4) }
		})
		if (sizes.length === 0) return null
		return {
			width: Math.max(...sizes.map(({ width }) => width)),
			height: Math.max(...sizes.map(({ height }) => height)),
		}
	} catch (error) {
		if (error instanceof DamagedImageError) return null
		throw error
	}
}
