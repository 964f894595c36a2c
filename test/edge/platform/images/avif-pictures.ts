import { makeExif, SECRET } from '../../../support/shared/whole-pictures.ts'

/** AVIF images of 2 × 2 pixels, built box by box, with metadata like that of cameras and editors. */

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0))
const big = (value: number, bytes: number) =>
	Array.from({ length: bytes }, (_, k) => (value / 2 ** (8 * (bytes - 1 - k))) & 0xff)

/** The AV1 data of a blue image. */
const frame = [...atob('CgQ4ADbBMhEYAAAAUAAAAACwEYDDchJmSA==')].map((character) => character.charCodeAt(0))

export const avifBox = (name: string, ...content: number[][]): number[] => {
	const bytes = content.flat()
	return [...big(bytes.length + 8, 4), ...ascii(name), ...bytes]
}
const fullBox = (name: string, version: number, ...content: number[][]) =>
	avifBox(name, [version, 0, 0, 0], ...content)

type MadeItem = { type: string; content: number[]; name?: string; extra?: number[] }
type Made = {
	brands?: string
	size?: [width: number, height: number]
	handler?: string
	items?: MadeItem[]
	properties?: number[][]
	inMeta?: number[][]
	inFile?: number[][]
	/** Where the image is stored, if not in `mdat`. */
	place?: { method?: number; file?: number; offset?: number; length?: number; extents?: number }
}

export function makeAvif(made: Made = {}): Uint8Array<ArrayBuffer> {
	const { brands = 'avif\0\0\0\0avifmif1miafMA1A', size = [2, 2], handler = '', place = {} } = made
	const all: MadeItem[] = [{ type: 'av01', content: frame }, ...(made.items ?? [])]
	const properties = [
		fullBox('ispe', 0, big(size[0], 4), big(size[1], 4)),
		fullBox('pixi', 0, [3, 8, 8, 8]),
		avifBox('av1C', [0x81, 0x20, 0, 0]),
		avifBox('colr', ascii('nclx'), [0, 2, 0, 2, 0, 2, 0]),
		...(made.properties ?? []),
	]
	const associations = [1, 0x02, 0x83, 4, ...(made.properties ?? []).map((_, i) => i + 5)]
	const file = avifBox('ftyp', ascii(brands))
	const metaOf = (start: number) => {
		let at = start
		const locations = all.flatMap(({ content }, i) => {
			const own = i === 0 ? place : {}
			const extent = [...big(own.offset ?? at, 4), ...big(own.length ?? content.length, 4)]
			const count = own.extents ?? 1
			at += content.length
			return [
				...[...big(i + 1, 2), 0, own.method ?? 0, ...big(own.file ?? 0, 2), ...big(count, 2)],
				...Array.from({ length: count }, () => extent).flat(),
			]
		})
		const entries = all.map(({ type, name = '', extra = [] }, i) =>
			fullBox('infe', 2, big(i + 1, 2), [0, 0], ascii(`${type}${name}\0`), extra),
		)
		return fullBox(
			'meta',
			0,
			fullBox('hdlr', 0, [0, 0, 0, 0], ascii('pict'), Array(12).fill(0), ascii(`${handler}\0`)),
			fullBox('pitm', 0, [0, 1]),
			fullBox('iloc', 1, [0x44, 0], big(all.length, 2), locations),
			fullBox('iinf', 0, big(all.length, 2), ...entries),
			avifBox(
				'iprp',
				avifBox('ipco', ...properties),
				fullBox('ipma', 0, big(1, 4), [0, 1, associations.length, ...associations]),
			),
			...(made.inMeta ?? []),
		)
	}
	const head = [...file, ...(made.inFile ?? []).flat()]
	const meta = metaOf(head.length + metaOf(0).length + 8)
	return Uint8Array.from([...head, ...meta, ...avifBox('mdat', ...all.map(({ content }) => content))])
}

export const wholeAvif = makeAvif()

const xmp = `<x:xmpmeta>${SECRET}</x:xmpmeta>`

/** An image that contains its location in every possible place. */
export const avifWithPlaces = makeAvif({
	handler: SECRET,
	items: [
		{ type: 'Exif', content: [0, 0, 0, 0, ...makeExif(6)], name: SECRET },
		{ type: 'mime', content: ascii(xmp), extra: ascii(`application/rdf+xml\0${SECRET}\0`) },
	],
	properties: [fullBox('udes', 0, ascii(`en\0${SECRET}\0`))],
	inMeta: [fullBox('iref', 0, avifBox('cdsc', [0, 2, 0, 1, 0, 1])), avifBox('uuid', ascii(SECRET))],
	inFile: [avifBox('free', ascii(SECRET)), avifBox('moov', ascii(SECRET))],
})
