type ImageType = { contentType: string; extension: string }

const types: (ImageType & { startsLike(bytes: Uint8Array): boolean })[] = [
	{ contentType: 'image/jpeg', extension: 'jpg', startsLike: (b) => has(b, 0, [0xff, 0xd8, 0xff]) },
	{
		contentType: 'image/png',
		extension: 'png',
		startsLike: (b) => has(b, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
	},
	// RIFF, four bytes of length, WEBP.
	{
		contentType: 'image/webp',
		extension: 'webp',
		startsLike: (b) => has(b, 0, [0x52, 0x49, 0x46, 0x46]) && has(b, 8, [0x57, 0x45, 0x42, 0x50]),
	},
]

const has = (bytes: Uint8Array, at: number, expected: number[]) =>
	expected.every((byte, i) => bytes[at + i] === byte)

/** What a picture is by its own first bytes, whatever it is called; null for anything but JPG, PNG and WebP. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
	const found = types.find(({ startsLike }) => startsLike(bytes))
	return found ? { contentType: found.contentType, extension: found.extension } : null
}
