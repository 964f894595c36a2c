import { roundMs } from '../../transcripts/word-times.ts'
import { chapterLimits, type MadeChapter, minChapterSec } from './made-chapters.ts'

/** Divides a video without speech where its picture changes: near the places that make the parts equally long. */
export function partsByShots(shots: readonly number[], durationSec: number): MadeChapter[] {
	const minSec = minChapterSec(durationSec)
	const { least, most } = chapterLimits(durationSec)
	const count = Math.min(Math.ceil((least + most) / 3), Math.floor(durationSec / minSec))
	const partSec = durationSec / count
	const starts = [0]
	for (let at = 1; at < count; at++) {
		const ideal = at * partSec
		const near = shots
			.filter((shot) => Math.abs(shot - ideal) <= partSec / 2)
			.filter((shot) => shot - (starts.at(-1) ?? 0) >= minSec && durationSec - shot >= minSec)
			.sort((a, b) => Math.abs(a - ideal) - Math.abs(b - ideal))
		if (near[0] !== undefined) starts.push(near[0])
	}
	if (starts.length < 2) return []
	return starts.map((start, at) => ({
		title: `Part ${at + 1}`,
		startTime: roundMs(start),
		endTime: roundMs(starts[at + 1] ?? durationSec),
		reasons: { words: 0, pauseSec: 0, isAnnounced: false, isShotCut: at > 0 },
	}))
}
