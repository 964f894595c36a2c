/** Complete images of 2 × 3 pixels, and metadata like that of cameras and editors. */

const decode = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0))
const big = (value: number, bytes: number) =>
	Array.from({ length: bytes }, (_, k) => (value / 2 ** (8 * (bytes - 1 - k))) & 0xff)
const little = (value: number, bytes: number) => big(value, bytes).toReversed()

export const wholeJpg = decode(
	'/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAADAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAYEAEAAwEAAAAAAAAAAAAAAAAAAQMUUv/EABUBAQEAAAAAAAAAAAAAAAAAAAIG/8QAGREAAQUAAAAAAAAAAAAAAAAAAQADFFKR/9oADAMBAAIRAxEAPwCS0W9yAtIrFBgQkvXOlf/Z',
)
export const wholePng = decode(
	'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAGElEQVQI1wXBAQEAAAABoCw3ncpAqgjDASQPAwCi4Vi/AAAAAElFTkSuQmCC',
)
export const wholeWebp = decode('UklGRi4AAABXRUJQVlA4TCEAAAAvAYAAABcQAoKi6Z4TkCS4vOnNf/gUKGzbBoWlYUT/ox4A')

/** Written wherever an image can contain personal data. */
export const SECRET = 'N52.5163 E13.3777'

/** A TIFF structure with an orientation and the camera's maker, followed by a location. */
export const makeExif = (orientation: number): number[] => [
	...[...ascii('II*\0'), ...little(8, 4), ...little(2, 2)],
	...[...little(0x010f, 2), ...little(2, 2), ...little(SECRET.length, 4), ...little(38, 4)],
	...[...little(0x0112, 2), ...little(3, 2), ...little(1, 4), ...little(orientation, 4), ...little(0, 4)],
	...ascii(SECRET),
]

export const segment = (marker: number, content: string | number[]): number[] => {
	const bytes = typeof content === 'string' ? ascii(content) : content
	return [0xff, marker, ...big(bytes.length + 2, 2), ...bytes]
}
/** Inserts segments after the JFIF segment, and adds text after the end. */
export const jpgWith = (segments: number[][], behind = ''): Uint8Array<ArrayBuffer> =>
	Uint8Array.from([...wholeJpg.slice(0, 20), ...segments.flat(), ...wholeJpg.slice(20), ...ascii(behind)])

/** The checksum is 0, as only decoders check it. */
export const pngChunk = (name: string, content: string | number[]): number[] => {
	const bytes = typeof content === 'string' ? ascii(content) : content
	return [...big(bytes.length, 4), ...ascii(name), ...bytes, 0, 0, 0, 0]
}
export const pngWith = (chunks: number[][], behind = ''): Uint8Array<ArrayBuffer> =>
	Uint8Array.from([...wholePng.slice(0, 33), ...chunks.flat(), ...wholePng.slice(33), ...ascii(behind)])

export const webpChunk = (name: string, content: string | number[]): number[] => {
	const bytes = typeof content === 'string' ? ascii(content) : content
	return [...ascii(name), ...little(bytes.length, 4), ...bytes, ...(bytes.length % 2 ? [0] : [])]
}
export const webpFile = (chunks: number[][], behind = ''): Uint8Array<ArrayBuffer> => {
	const content = chunks.flat()
	return Uint8Array.from([
		...[...ascii('RIFF'), ...little(content.length + 4, 4), ...ascii('WEBP')],
		...[...content, ...ascii(behind)],
	])
}
/** VP8X: flags, three reserved bytes, width - 1 and height - 1. */
export const webpCanvas = (flags: number): number[] => webpChunk('VP8X', [flags, 0, 0, 0, 1, 0, 0, 2, 0, 0])
export const webpStill = [...wholeWebp.slice(12)]
export const webpFrame = (more: number[][] = []): number[] =>
	webpChunk('ANMF', [...Array(6).fill(0), 1, 0, 0, 2, 0, 0, 100, 0, 0, 0, ...webpStill, ...more.flat()])

const xmp = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${SECRET}</x:xmpmeta>`

/** An image of each format that contains its location in every possible place, with orientation 6. */
export const picturesWithPlaces = {
	jpg: jpgWith(
		[
			segment(0xe0, `JFXX\0\x10${SECRET}`),
			segment(0xe1, [...ascii('Exif\0\0'), ...makeExif(6)]),
			segment(0xe1, xmp),
			segment(0xe2, `MPF\0${SECRET}`),
			segment(0xed, `Photoshop 3.0\0${SECRET}`),
			segment(0xfe, SECRET),
		],
		`\0\0\0\x18ftypmp42${SECRET}`,
	),
	png: pngWith(
		[
			pngChunk('tEXt', `Comment\0${SECRET}`),
			pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${SECRET}`),
			pngChunk('zTXt', `Raw profile type exif\0\0${SECRET}`),
			pngChunk('tIME', [7, 234, 1, 1, 0, 0, 0]),
			pngChunk('eXIf', makeExif(6)),
			pngChunk('teRX', SECRET),
		],
		SECRET,
	),
	webp: webpFile(
		[
			webpCanvas(0x0c),
			webpStill,
			webpChunk('EXIF', makeExif(6)),
			webpChunk('XMP ', xmp),
			webpChunk('odd ', SECRET),
		],
		SECRET,
	),
}
