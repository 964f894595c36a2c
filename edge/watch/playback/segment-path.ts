const SEGMENT = /(?:^|\/)([^/]+)\/(\d{1,6})\.m4s$/
/** The folder of a rendition is named after its codec and quality, such as `h264-720p`. */
const RENDITION = /(?:^|-)([1-9]\d{1,4})p$/

export type SegmentPath = {
	/** The shorter side of the picture; null for sound. */
	height: number | null
	index: number
}

/** Returns which segment a path names; null for another file. */
export function parseSegmentPath(path: string): SegmentPath | null {
	const [, folder = '', index] = SEGMENT.exec(path) ?? []
	if (index === undefined) return null
	const height = RENDITION.exec(folder)?.[1]
	return { height: height === undefined ? null : Number(height), index: Number(index) }
}
