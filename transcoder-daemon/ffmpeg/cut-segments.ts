import { type Fragment, joinFragments } from './segments.ts'

/** The pictures ended before the last segment began. */
export class EndedEarlyError extends Error {
	override name = 'EndedEarlyError'
	readonly frames: number
	constructor(frames: number) {
		super(`no segment begins after frame ${frames}, where one was to`)
		this.frames = frames
	}
}

/**
 * Puts fragments together to segments that begin at the cuts, which are counted in samples of this stream; the first
 * is 0. An encoder may write fragments finer than that, but where a cut falls into one it has not done as it was told.
 */
export async function* cutSegments(
	fragments: AsyncIterable<Fragment>,
	cuts: readonly number[],
): AsyncGenerator<Fragment> {
	let held: Fragment[] = []
	let samples = 0
	let next = 1
	for await (const fragment of fragments) {
		if (samples === cuts[next]) {
			yield joinFragments(held)
			held = []
			next++
		}
		if (held.length === 0 && !fragment.isKey)
			throw new Error(`frame ${samples}, at which a segment begins, is no keyframe`)
		held.push(fragment)
		samples += fragment.samples
		const cut = cuts[next]
		if (cut !== undefined && samples > cut)
			throw new Error(`no keyframe at frame ${cut}, where a segment begins`)
	}
	if (held.length > 0) yield joinFragments(held)
	if (next < cuts.length) throw new EndedEarlyError(samples)
}
