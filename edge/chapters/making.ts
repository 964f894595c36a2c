import { findAsset } from '../assets/assets.ts'
import type { AssetRef, AssetRow } from '../assets/store.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { readTranscript } from '../transcripts/transcripts.ts'
import { segmentVideo } from './segmentation/segmentation.ts'
import { storeVersion } from './versions.ts'

const MAX_TRIES = 8

type MakingOptions = {
	/** Overwrites the chapters of a person, and makes those of the same transcript again. */
	force?: boolean
	/** When the picture changes, in ascending order. */
	shots?: readonly number[]
}

/**
 * What became of the chapters: `made` (there may be none), `kept` (a person wrote or removed them), `unchanged` (they
 * are those of this transcript already), or `skipped` (the asset is gone, or its duration is unknown).
 */
type MakingOutcome = 'made' | 'kept' | 'unchanged' | 'skipped'

/** Makes the chapters of an asset from its transcript, without a model. May be called any number of times. */
export async function makeChapters(
	deps: Deps,
	{ orgId, id }: AssetRef,
	{ force = false, shots = [] }: MakingOptions = {},
): Promise<MakingOutcome> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await findAsset(deps, orgId, id)
		const outcome = asset ? await makeOnce(deps, asset, force, shots) : 'skipped'
		if (outcome !== null) return outcome
	}
	throw new AppError('conflict', 'other requests are changing these chapters; try again')
}

/** Returns null if something changed meanwhile. */
async function makeOnce(
	deps: Deps,
	asset: AssetRow,
	force: boolean,
	shots: readonly number[],
): Promise<MakingOutcome | null> {
	const { transcriptKey, durationSec } = asset
	if (durationSec === null) return 'skipped'
	if (!force && asset.chaptersEditedAt !== null) return 'kept'
	const isMade = asset.chaptersEditedAt === null && asset.chaptersTranscriptKey === transcriptKey
	if (!force && isMade && shots.length === 0) return 'unchanged'
	const transcript = transcriptKey === null ? silence : await readTranscript(deps, transcriptKey)
	if (!transcript) return null
	const chapters = segmentVideo({ transcript, durationSec, shots })
	const origin = { chaptersEditedAt: null, chaptersTranscriptKey: transcriptKey }
	return (await storeVersion(deps, asset, chapters, origin)) ? 'made' : null
}

const silence = { language: null, segments: [] }
