import type { Rational } from '#schema/contract/video/media-info.ts'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import type { Deps } from '../../../platform/deps.ts'
import { chooseClipInputs } from '../presentation/clip-inputs.ts'
import { playlistName } from '../presentation/layout.ts'
import { readMediaPlaylist } from '../presentation/read-playlist.ts'
import type { PlannedJob } from '../store/job-store.ts'
import { listJobFolders } from '../store/output-folders.ts'

/** Prevents rounding errors from selecting the previous frame at the start of a frame. */
const ROUNDING = 1e-6

/** Returns the frame that is shown at a moment. */
export const findFrameAt = (atSec: number, { num, den }: Rational): number =>
	Math.floor((atSec * num) / den + ROUNDING)

/**
 * Chooses the frame that the largest published H.264 rendition shows at a moment, with the keys of its segment. Returns null
 * if the video has no such frame.
 */
export async function choosePosterFrame(
	{ objects }: Pick<Deps, 'objects'>,
	{ id, playbackId, assetId, plan: { fps, rungs } }: PlannedJob,
	atSec: number,
): Promise<TaskSpecByKind<'poster'> | null> {
	if (!fps) return null
	const { media } = listJobFolders(playbackId, assetId, id)
	const frame = findFrameAt(atSec, fps)
	// The largest is first. A cancelled job may have published only smaller ones.
	for (const rung of rungs.filter(({ codec }) => codec === 'h264')) {
		const answer = await objects.media.get(media + playlistName(rung.id))
		if (answer.state !== 'found') continue
		const stream = readMediaPlaylist(await new Response(answer.body).text(), media)
		const { video, frames } = chooseClipInputs(
			{ video: stream, audio: null },
			{ fps, firstFrame: frame, frames: 1 },
		)
		if (frames < 1) return null
		return { kind: 'poster', atSec, fps, frame, width: rung.width, height: rung.height, video }
	}
	return null
}
