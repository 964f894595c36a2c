import { type Box, BoxReader, boxesIn } from './boxes.ts'
import { DamagedImageError } from './pieces.ts'

/** Items that decoders show: AV1 images, and images composed of others. All other items are metadata. */
const imageTypes = new Set(['av01', 'grid', 'iovl', 'iden'])

/** The limit for parts of images. An image of 16,384 pixels a side has a few hundred tiles. */
const MAX_EXTENTS = 1_000

/** An entry of `iinf`. `typeAt` is where the four letters of its type are stored. */
export type Item = { id: number; box: Box; typeAt: number; isImage: boolean }

/** A range of bytes of an item: in the file, or in the content of `idat`. */
export type Extent = { within: 'file' | 'idat'; start: number; end: number }

/** Returns the entries of `iinf`. */
export function itemsIn(bytes: Uint8Array, iinf: Box): Item[] {
	const reader = new BoxReader(bytes, iinf)
	const version = reader.uint(4) >>> 24
	reader.uint(version === 0 ? 2 : 4)
	return boxesIn(bytes, reader.at, iinf.end).map((box) => {
		const entry = new BoxReader(bytes, box)
		const entryVersion = entry.uint(4) >>> 24
		if (box.name !== 'infe' || (entryVersion !== 2 && entryVersion !== 3))
			throw new DamagedImageError('an item has an unknown form')
		const id = entry.uint(entryVersion === 2 ? 2 : 4)
		entry.uint(2)
		const typeAt = entry.at
		entry.uint(4)
		const type = String.fromCharCode(...bytes.subarray(typeAt, typeAt + 4))
		return { id, box, typeAt, isImage: imageTypes.has(type) }
	})
}

export function readExtents(bytes: Uint8Array, iloc: Box, wanted: ReadonlySet<number>): Extent[] {
	const reader = new BoxReader(bytes, iloc)
	const version = reader.uint(4) >>> 24
	if (version > 2) throw new DamagedImageError('its list of locations has an unknown form')
	const sizes = reader.uint(2)
	const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
	const indexSize = version === 0 ? 0 : sizes & 15
	const idSize = version === 2 ? 4 : 2
	const extents: Extent[] = []
	const items = reader.uint(idSize)
	for (let i = 0; i < items; i++) {
		const isWanted = wanted.has(reader.uint(idSize))
		const method = version === 0 ? 0 : reader.uint(2) & 15
		const file = reader.uint(2)
		const base = reader.uint(baseSize)
		const count = reader.uint(2)
		// An extent without any field takes no bytes, so that a few bytes could declare millions.
		if (count > 0 && lengthSize === 0) throw new DamagedImageError('an item has no length')
		if (isWanted && (file !== 0 || method > 1))
			throw new DamagedImageError('an item is stored outside the file')
		for (let k = 0; k < count; k++) {
			reader.uint(indexSize)
			const start = base + reader.uint(offsetSize)
			const length = reader.uint(lengthSize)
			if (!isWanted) continue
			if (extents.length === MAX_EXTENTS)
				throw new DamagedImageError(`its images have more than ${MAX_EXTENTS} parts`)
			extents.push({ within: method === 1 ? 'idat' : 'file', start, end: start + length })
		}
	}
	return extents
}
