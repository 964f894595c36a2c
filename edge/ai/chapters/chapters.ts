import type { NewChapter, VideoChapter } from '#schema/contract/ai/chapters.ts'
import { requireUnchanged } from '../../http/entity-tag.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { durationUnknownError, getAsset } from '../../video/assets/assets.ts'
import { roundMs } from '../transcripts/word-times.ts'
import { storeVersion } from './versions.ts'
import { type ChaptersState, readChaptersVersion } from './view.ts'

/** Each retry means that another request replaced the chapters concurrently. */
const MAX_TRIES = 8
/** Other programs round their times. */
const TOLERANCE_SEC = 1

export async function getChapters(deps: Deps, orgId: string, assetId: string): Promise<ChaptersState> {
	const asset = await getAsset(deps, orgId, assetId)
	const stored = asset.chaptersKey === null ? [] : await readChapters(deps, asset.chaptersKey)
	return { ...asset, chapters: stored ?? [] }
}

/** Returns null if the chapters were replaced since their key was read. */
export async function readChapters({ objects }: Deps, chaptersKey: string): Promise<VideoChapter[] | null> {
	const answer = await objects.media.get(chaptersKey)
	if (answer.state !== 'found') return null
	return ((await new Response(answer.body).json()) as { chapters: VideoChapter[] }).chapters
}

/**
 * Stores chapters written by a person. From then on, none are generated. With `tags`, replaces only chapters that have one
 * of these entity tags.
 */
export async function replaceChapters(
	deps: Deps,
	orgId: string,
	assetId: string,
	input: readonly NewChapter[],
	tags: readonly string[] | null = null,
): Promise<ChaptersState> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		if (tags) await requireUnchanged(tags, readChaptersVersion(asset))
		const chapters = completeChapters(input, asset.durationSec)
		const origin = { chaptersEditedAt: deps.now, chaptersTranscriptKey: null }
		const stored = await storeVersion(deps, asset, chapters, origin)
		if (stored) return { ...asset, ...stored, chapters }
	}
	throw new AppError('conflict', 'another request changed these chapters; try again')
}

/** Gives each chapter an end within the video. */
function completeChapters(input: readonly NewChapter[], durationSec: number | null): VideoChapter[] {
	if (durationSec === null) throw durationUnknownError()
	return input.map(({ title, startTime, endTime }, at) => {
		const end = endTime ?? input[at + 1]?.startTime ?? durationSec
		const problem = (field: string, text: string) =>
			new AppError('validation', `chapters.${at}.${field}: ${text} the end of the video (${durationSec} s)`)
		if (roundMs(startTime) >= roundMs(durationSec)) throw problem('startTime', 'must be before')
		if (end > durationSec + TOLERANCE_SEC) throw problem('endTime', 'must not be after')
		return {
			title,
			startTime: roundMs(startTime),
			endTime: roundMs(Math.min(end, durationSec)),
		}
	})
}
