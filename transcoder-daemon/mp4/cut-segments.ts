import { type Fragment, joinFragments } from './segments.ts'

/** The video ended before the last segment began. */
export class EndedEarlyError extends Error {
	override name = 'EndedEarlyError'
	readonly frames: number
	constructor(frames: number) {
		super(`the video ends at frame ${frames}, before the next segment begins`)
		this.frames = frames
	}
}

/**
 * Joins fragments into segments that begin at the cuts, counted in samples of this stream; the first is 0. An encoder
 * may write finer fragments, but a fragment across a cut means that it ignored its keyframes.
 */
export async function* cutSegments(
	fragments: AsyncIterable<Fragment>,
	cuts: readonly number[],
): AsyncGenerator<Fragment> {
	let fragmentsOfSegment: Fragment[] = []
	let samples = 0
	let next = 1
	for await (const fragment of fragments) {
		if (samples === cuts[next]) {
			yield joinFragments(fragmentsOfSegment)
			fragmentsOfSegment = []
			next++
		}
		if (fragmentsOfSegment.length === 0 && !fragment.isKey)
			throw new Error(`frame ${samples} begins a segment but is not a keyframe`)
		fragmentsOfSegment.push(fragment)
		samples += fragment.samples
		const cut = cuts[next]
		if (cut !== undefined && samples > cut)
			throw new Error(`frame ${cut} begins a segment but is not a keyframe`)
	}
	if (fragmentsOfSegment.length > 0) yield joinFragments(fragmentsOfSegment)
	if (next < cuts.length) throw new EndedEarlyError(samples)
}
