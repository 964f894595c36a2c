import type { VideoChapter } from '#schema/contract/ai/chapters.ts'
import type { State } from '../../http/entity-tag.ts'
import { toIsoOrNull } from '../../platform/clock.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import type { ChaptersVersion } from './store.ts'

export type ChaptersState = ChaptersVersion & Pick<AssetRow, 'transcriptKey'> & { chapters: VideoChapter[] }

/** Returns the values that a replacement changes. Each file of chapters has its own key. */
export const readChaptersVersion = ({
	chaptersKey,
	chaptersEditedAt,
}: Pick<ChaptersVersion, 'chaptersKey' | 'chaptersEditedAt'>): State => ({
	chapters: [chaptersKey, chaptersEditedAt],
})

export const viewChapters = ({
	chapters,
	chaptersEditedAt,
	chaptersTranscriptKey,
	transcriptKey,
}: ChaptersState) => ({
	chapters,
	editedAt: toIsoOrNull(chaptersEditedAt),
	isStale: chaptersEditedAt === null && chapters.length > 0 && chaptersTranscriptKey !== transcriptKey,
})
