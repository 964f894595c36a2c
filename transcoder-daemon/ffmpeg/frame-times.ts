import type { VideoInfo } from '#schema/contract/video/media-info.ts'

type Video = Pick<VideoInfo, 'startSec' | 'clockSec' | 'frameRate' | 'isConstantRate' | 'reorderFrames'>

/**
 * Returns filters that correct frame times for containers with decode times only; none for other containers. Decoders
 * return such frames late by the reorder depth, and guess the times of the last ones. At a constant rate, frames are
 * counted instead: from the first of the file, or from the key frame after a seek. `isEachDecoded`: no frame is skipped
 * before.
 */
export function buildFrameTimeFilters(video: Video, isSeeking: boolean, isEachDecoded = true): string[] {
	const { reorderFrames, startSec, clockSec, frameRate, isConstantRate } = video
	if (reorderFrames === undefined) return []
	const frameTicks = `${frameRate.den}/(${frameRate.num}*TB)`
	if (!isConstantRate || !isEachDecoded) return [`setpts=PTS-${reorderFrames}*${frameTicks}`]
	return isSeeking
		? [`setpts=STARTPTS+(N-${reorderFrames})*${frameTicks}`]
		: [`setpts=${(startSec + (clockSec ?? 0)).toFixed(6)}/TB+N*${frameTicks}`]
}
