import { formatClock } from '#schema/contract/kit/clock.ts'
import type { PlayableVideo } from '#schema/contract/watch/player-page.ts'

/** From this height on, a video is in high definition. */
const HD_LINES = 720

/** Returns what viewers can read on the poster before they play: captions, high definition, and the length. */
export function listPosterBadges({
	durationSec,
	manifestPath,
	files,
}: Pick<PlayableVideo, 'durationSec' | 'manifestPath' | 'files'>): string[] {
	const file = files[manifestPath]
	const master = file && 'text' in file ? file.text : ''
	const lines = [...master.matchAll(/RESOLUTION=(\d{1,5})x(\d{1,5})/g)].map(([, width, height]) =>
		Math.min(Number(width), Number(height)),
	)
	return [
		...(/TYPE=SUBTITLES/.test(master) ? ['CC'] : []),
		...(Math.max(...lines) >= HD_LINES ? ['HD'] : []),
		...(durationSec > 0 ? [formatClock(durationSec)] : []),
	]
}
