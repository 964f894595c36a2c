import { type ImageWidth, imageWidths } from '#schema/contract/kit/queries/image-width.ts'

/** Begins with the key of the original, so that the purge of a folder or of the original deletes the variant too. */
export const formatVariantKey = (key: string, width: ImageWidth): string => `${key}.w${width}.webp`

/** Returns the key of an image and those of its possible variants, to delete all in one operation. */
export const listImageKeys = (key: string): string[] => [
	key,
	...imageWidths.map((width) => formatVariantKey(key, width)),
]
