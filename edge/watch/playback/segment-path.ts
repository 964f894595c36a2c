import { parseRungQuality, type Quality } from '#schema/contract/video/quality.ts'

const SEGMENT = /(?:^|\/)([^/]+)\/(\d{1,6})\.m4s$/

export type SegmentPath = {
	/** Null for sound. */
	quality: Quality | null
	index: number
}

/** Returns which segment a path names; null for another file. The folder of a segment is named after its rung. */
export function parseSegmentPath(path: string): SegmentPath | null {
	const [, folder = '', index] = SEGMENT.exec(path) ?? []
	return index === undefined ? null : { quality: parseRungQuality(folder), index: Number(index) }
}
