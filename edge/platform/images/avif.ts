import { type Extent, type Item, itemsIn, readExtents } from './avif-items.ts'
import { metaBoxes, VERSION_BYTES } from './avif-size.ts'
import { type Box, BoxCopy, BoxReader, boxesIn, onlyBox } from './boxes.ts'
import { DamagedImageError, hasText } from './pieces.ts'

/** Properties of items that affect display. Others describe the camera or hold texts. */
const drawnProperties = new Set([
	...['ispe', 'pixi', 'av1C', 'colr', 'irot', 'imir', 'clap', 'pasp', 'auxC'],
	...['a1op', 'lsel', 'a1lx', 'clli', 'mdcv', 'cclv', 'amve'],
])
/** The bytes of `hdlr` before the name of the program: version and flags, a reserved field, the type. */
const HANDLER_BYTES = 12

type Range = { start: number; end: number }

/**
 * Returns an AVIF in which all bytes without an effect on display are zero: EXIF, XMP, names, unknown boxes, and
 * everything in `mdat` that belongs to no image. The other bytes keep their places, because items are found by their
 * offset in the file. An animation becomes its still image.
 */
export function cleanAvif(bytes: Uint8Array): Uint8Array[] {
	const copy = new BoxCopy(bytes)
	const boxes = boxesIn(bytes, 0, bytes.byteLength)
	const [brands, meta] = [onlyBox(boxes, 'ftyp'), onlyBox(boxes, 'meta')]
	const data = boxes.filter(({ name }) => name === 'mdat')
	const parts = metaBoxes(bytes, meta)
	const items = itemsIn(bytes, onlyBox(parts, 'iinf'))
	const images = new Set(items.filter(({ isImage }) => isImage).map(({ id }) => id))
	if (!images.has(primaryItem(bytes, onlyBox(parts, 'pitm'))))
		throw new DamagedImageError('it has no image data')

	keepBrands(copy, brands)
	copy.keep(meta.start, meta.body + VERSION_BYTES)
	for (const part of parts) {
		if (['pitm', 'iloc', 'iref'].includes(part.name)) copy.keep(part.start, part.end)
		else if (part.name === 'hdlr') copy.keep(part.start, Math.min(part.body + HANDLER_BYTES, part.end))
		else if (part.name === 'idat') copy.keep(part.start, part.body)
		else if (part.name === 'iinf') keepItems(copy, part, items)
		else if (part.name === 'iprp') keepProperties(copy, part)
		else copy.blank(part)
	}
	for (const box of boxes) {
		if (data.includes(box)) copy.keep(box.start, box.body)
		else if (box !== brands && box !== meta) copy.blank(box)
	}
	const extents = readExtents(bytes, onlyBox(parts, 'iloc'), images)
	if (extents.length === 0) throw new DamagedImageError('it has no image data')
	const idat = parts.filter(({ name }) => name === 'idat')
	const places = extents.map((extent) => placeOf(extent, extent.within === 'idat' ? idat : data))
	for (const { start, end } of withoutOverlaps(places)) copy.keep(start, end)
	return [copy.bytes.subarray(0, Math.max(...[brands, meta, ...data].map(({ end }) => end)))]
}

function primaryItem(bytes: Uint8Array, pitm: Box): number {
	const reader = new BoxReader(bytes, pitm)
	return reader.uint(4) >>> 24 === 0 ? reader.uint(2) : reader.uint(4)
}

/** Decoders of the brand `avis` expect an animation. */
function keepBrands(copy: BoxCopy, { start, body, end }: Box): void {
	copy.keep(start, end)
	for (let at = body; at + 4 <= end; at += 4)
		if (hasText(copy.original, at, 'avis')) copy.writeName(at, 'avif')
}

/** Keeps the ids and types of items, not their names. An item of the type `free` means nothing to decoders. */
function keepItems(copy: BoxCopy, iinf: Box, items: readonly Item[]): void {
	copy.keep(iinf.start, items[0]?.box.start ?? iinf.end)
	for (const { box, typeAt, isImage } of items) {
		copy.keep(box.start, typeAt + 4)
		if (!isImage) copy.writeName(typeAt, 'free')
	}
}

/** Properties are numbered by their position, so one that is dropped leaves an empty box. */
function keepProperties(copy: BoxCopy, iprp: Box): void {
	copy.keep(iprp.start, iprp.body)
	for (const part of boxesIn(copy.original, iprp.body, iprp.end)) {
		if (part.name === 'ipma') copy.keep(part.start, part.end)
		else if (part.name !== 'ipco') copy.blank(part)
		else {
			copy.keep(part.start, part.body)
			for (const property of boxesIn(copy.original, part.body, part.end))
				if (drawnProperties.has(property.name)) copy.keep(property.start, property.end)
				else copy.blank(property)
		}
	}
}

/** Returns where an extent is in the file. It must be in one of the boxes for image data. */
function placeOf({ within, start, end }: Extent, holders: readonly Box[]): Range {
	const offset = within === 'idat' ? (holders[0]?.body ?? 0) : 0
	const place = { start: offset + start, end: offset + end }
	if (start === end || !holders.some((box) => place.start >= box.body && place.end <= box.end))
		throw new DamagedImageError('an item is stored outside the image data')
	return place
}

/** Items may share bytes. Without this, a small file could make us copy its data a thousand times. */
function withoutOverlaps(ranges: readonly Range[]): Range[] {
	let copied = 0
	return ranges
		.toSorted((a, b) => a.start - b.start)
		.map(({ start, end }) => {
			const rest = { start: Math.max(start, copied), end }
			copied = Math.max(copied, end)
			return rest
		})
		.filter(({ start, end }) => start < end)
}
