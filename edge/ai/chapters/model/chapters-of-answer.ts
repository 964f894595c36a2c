import { z } from 'zod'
import { snapStart } from '../segmentation/boundaries.ts'
import { type ChapterStart, describeChapters, groupByChapter } from '../segmentation/described-chapters.ts'
import { chooseChapterLimits, type MadeChapter, minChapterSec } from '../segmentation/made-chapters.ts'
import type { Sentence } from '../segmentation/sentences.ts'
import type { Cue } from './cues.ts'
import { chooseGroundedTitle } from './grounded-title.ts'

/** What a model may say about chapters. Times are never its own. */
export const ChaptersAnswer = z.object({
	chapters: z.array(z.object({ cue: z.number(), title: z.string() })),
})
export type ChaptersAnswer = z.infer<typeof ChaptersAnswer>

type Video = { language: string | null; durationSec: number; shots: readonly number[] }

/**
 * Makes chapters of any answer at all, by the rules that hold without a model: they begin with the video, each is long
 * enough, and there are not too many. Titles that their chapter does not support are replaced by one of its own words.
 * Returns null if the answer divides the video less than it must be.
 */
export function readModelChapters(
	{ chapters }: ChaptersAnswer,
	{ cues, sentences }: { cues: readonly Cue[]; sentences: readonly Sentence[] },
	video: Video,
): MadeChapter[] | null {
	const { durationSec, language, shots } = video
	const minSec = minChapterSec(durationSec)
	const { least, most } = chooseChapterLimits(durationSec)
	const titles = new Map<number, string>()
	for (const { cue, title } of chapters)
		if (Number.isInteger(cue) && cue >= 1 && cue <= cues.length && !titles.has(cue)) titles.set(cue, title)
	const starts: ChapterStart[] = [{ sentence: 0, startSec: 0, words: 0, title: titles.get(1) ?? null }]
	for (const [cue, title] of [...titles].toSorted(([a], [b]) => a - b)) {
		if (cue === 1) continue
		const start = snapStart(sentences, cues[cue - 1]?.sentence ?? 0, shots)
		const lasts = start.startSec - (starts.at(-1)?.startSec ?? 0)
		if (lasts >= minSec && durationSec - start.startSec >= minSec) starts.push({ ...start, words: 0, title })
		// Nobody speaks at once, so the first chapter may be listed by its first words.
		else if (starts.length === 1 && lasts < minSec && starts[0] && !titles.has(1)) starts[0].title ??= title
	}
	while (starts.length > most) starts.splice(shortestOf(starts, durationSec), 1)
	if (starts.length < Math.max(2, least)) return null
	const used = new Set<string>()
	const texts = groupByChapter(sentences, starts)
	const titled = starts.map((start, at) => {
		const title = chooseGroundedTitle(start.title ?? '', texts[at] ?? [], language)
		const isFree = title !== null && !used.has(title.toLowerCase())
		if (isFree) used.add(title.toLowerCase())
		return { ...start, title: isFree ? title : null }
	})
	return describeChapters(sentences, titled, video)
}

/** Returns the index of the shortest chapter, which is joined to the one before. The first one stays. */
function shortestOf(starts: readonly ChapterStart[], durationSec: number): number {
	const lengths = starts.map(({ startSec }, at) => (starts[at + 1]?.startSec ?? durationSec) - startSec)
	return lengths.indexOf(Math.min(...lengths.slice(1)), 1)
}
