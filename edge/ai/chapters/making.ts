import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { findAsset } from '../../video/assets/assets.ts'
import { readShots } from '../../video/assets/shots.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { readTranscript } from '../transcripts/transcripts.ts'
import { requestModelChapters } from './model/model-chapters.ts'
import type { MadeChapter } from './segmentation/made-chapters.ts'
import { type SegmentationInput, segmentVideo } from './segmentation/segmentation.ts'
import { storeVersion } from './versions.ts'

const MAX_TRIES = 8

type MakingOptions = {
	/** Overwrites chapters written by a person, and regenerates those of the same transcript. */
	force?: boolean
	/** Without speech, the video is divided by its shots. */
	isSilent?: boolean
	/** The language of the part titles. */
	language?: string | null
}

/**
 * The outcome: `made` (possibly none), `kept` (a person wrote or removed them), `unchanged` (same transcript), or
 * `skipped` (the asset is deleted, or its duration unknown).
 */
type MakingOutcome = 'made' | 'kept' | 'unchanged' | 'skipped'
type Making = { outcome: MakingOutcome; hasChapters: boolean }

type Divide = (input: SegmentationInput) => MadeChapter[] | Promise<MadeChapter[]>

/**
 * Generates the chapters of an asset from its transcript or shots, without a model unless `divide` is given.
 * Idempotent.
 */
export async function makeChapters(
	deps: Deps,
	{ orgId, id }: AssetRef,
	options: MakingOptions = {},
	divide: Divide = segmentVideo,
): Promise<Making> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await findAsset(deps, orgId, id)
		if (!asset) return { outcome: 'skipped', hasChapters: false }
		const making = await makeOnce(deps, asset, options, divide)
		if (making !== null) return making
	}
	throw new AppError('conflict', 'another request changed these chapters; try again')
}

/**
 * Generates chapters with the organization's language model, or without it after a failure, which `problem` describes
 * to the owner.
 */
export async function makeChaptersWithModel(
	deps: Deps,
	asset: AssetRef,
	options: MakingOptions = {},
): Promise<{ outcome: MakingOutcome; problem: string | null }> {
	let problem: string | null = null
	const asked = new Map<string, MadeChapter[]>()
	const { outcome } = await makeChapters(deps, asset, options, async (input) => {
		const key = JSON.stringify(input.transcript.segments)
		// Reuses the paid response: only the chapters have changed since.
		const known = asked.get(key)
		if (known) return known
		const made = await requestModelChapters(deps, asset.orgId, input)
		problem = made.chapters === null ? made.problem : null
		const chapters = made.chapters ?? segmentVideo(input)
		asked.set(key, chapters)
		return chapters
	})
	return { outcome, problem }
}

/** Returns null if the asset has changed since. */
async function makeOnce(
	deps: Deps,
	asset: AssetRow,
	{ force = false, isSilent = false, language = null }: MakingOptions,
	divide: Divide,
): Promise<Making | null> {
	const { transcriptKey, durationSec } = asset
	const nothing = (outcome: MakingOutcome): Making => ({ outcome, hasChapters: asset.chaptersKey !== null })
	if (durationSec === null) return nothing('skipped')
	if (!force && asset.chaptersEditedAt !== null) return nothing('kept')
	const isMade = asset.chaptersEditedAt === null && asset.chaptersTranscriptKey === transcriptKey
	const needsParts = isSilent && transcriptKey === null && asset.chaptersKey === null
	if (!force && isMade && !needsParts) return nothing('unchanged')
	const [transcript, shots] = await Promise.all([
		transcriptKey === null ? { language, segments: [] } : readTranscript(deps, transcriptKey),
		transcriptKey === null && !isSilent ? [] : readShots(deps, asset),
	])
	if (!transcript) return null
	const chapters = await divide({ transcript, durationSec, shots })
	if (isMade && chapters.length === 0 && asset.chaptersKey === null) return nothing('unchanged')
	const origin = { chaptersEditedAt: null, chaptersTranscriptKey: transcriptKey }
	const stored = await storeVersion(deps, asset, chapters, origin)
	return stored ? { outcome: 'made', hasChapters: chapters.length > 0 } : null
}
