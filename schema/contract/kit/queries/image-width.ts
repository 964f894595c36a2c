import { z } from 'zod'

/** The widths of variants of images, in pixels. */
export const imageWidths = [320, 640, 1_280] as const
export type ImageWidth = (typeof imageWidths)[number]

const texts = imageWidths.map(String) as [string, ...string[]]

/** The query parameter of operations that serve an image. */
export const imageWidthQuery = z
	.enum(texts)
	.transform((text) => Number(text) as ImageWidth)
	.optional()
	.meta({
		description:
			'The width of a smaller variant, in WebP. Returns the original if it is not wider, is animated or cannot be resized',
	})
