/** Headers of images without pixels, as only headers are read. */

const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0))
const big = (value: number, bytes: number) =>
	Array.from({ length: bytes }, (_, k) => (value / 2 ** (8 * (bytes - 1 - k))) & 0xff)
const little = (value: number, bytes: number) => big(value, bytes).toReversed()

export const makePng = (width: number, height: number): Uint8Array<ArrayBuffer> =>
	Uint8Array.from([
		...[0x89, ...ascii('PNG\r\n\x1a\n')],
		...[...big(13, 4), ...ascii('IHDR'), ...big(width, 4), ...big(height, 4), 8, 2, 0, 0, 0],
	])

/** With a comment and fill bytes before the frame header, like files of cameras. */
export const makeJpg = (width: number, height: number, marker = 0xc0): Uint8Array<ArrayBuffer> =>
	Uint8Array.from([
		...[0xff, 0xd8, 0xff, 0xfe, ...big(5, 2), ...ascii('Hi!'), 0xff, 0xff, 0xc4, ...big(3, 2), 0],
		...[0xff, marker, ...big(11, 2), 8, ...big(height, 2), ...big(width, 2), 1, 1, 0x11, 0],
	])

export function makeWebp(
	width: number,
	height: number,
	kind: 'VP8 ' | 'VP8L' | 'VP8X' = 'VP8 ',
): Uint8Array<ArrayBuffer> {
	const bodies = {
		'VP8 ': [0x30, 1, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)],
		VP8L: [0x2f, ...little(width - 1 + (height - 1) * 2 ** 14, 4), 0, 0, 0, 0, 0],
		VP8X: [0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)],
	}
	const body = bodies[kind]
	return Uint8Array.from([
		...[...ascii('RIFF'), ...little(body.length + 12, 4), ...ascii('WEBP'), ...ascii(kind)],
		...[...little(body.length, 4), ...body],
	])
}
