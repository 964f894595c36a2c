import { z } from 'zod'
import { snapStart } from '../segmentation/boundaries.ts'
import { type ChapterStart, describeChapters, groupByChapter } from '../segmentation/described-chapters.ts'
import { chooseChapterLimits, type MadeChapter, minChapterSec } from '../segmentation/made-chapters.ts'
import type { Sentence } from '../segmentation/sentences.ts'
import type { Cue } from './cues.ts'
import { chooseGroundedTitle } from './grounded-title.ts'

/** A model's answer about chapters. It contains no times. */
export const ChaptersAnswer = z.object({
	chapters: z.array(z.object({ cue: z.number(), title: z.string() })),
})
export type ChaptersAnswer = z.infer<typeof ChaptersAnswer>

type Video = { language: string | null; durationSec: number; shots: readonly number[] }

/**
 * Builds chapters from any answer under the usual rules: they start with the video, are long enough and not too many.
 * Unsupported titles are replaced by words of the chapter. Returns null for too few chapters.
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
		// If speech starts late, the first chapter may be listed by its first words.
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

/** Returns the index of the shortest chapter after the first, which is merged into the one before. */
function shortestOf(starts: readonly ChapterStart[], durationSec: number): number {
	const lengths = starts.map(({ startSec }, at) => (starts[at + 1]?.startSec ?? durationSec) - startSec)
	return lengths.indexOf(Math.min(...lengths.slice(1)), 1)
}
