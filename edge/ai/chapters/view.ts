import type { VideoChapter } from '#schema/contract/ai/chapters.ts'
import { toIsoOrNull } from '../../platform/clock.ts'
import type { AssetRow } from '../../video/assets/store.ts'

export type ChaptersState = Pick<AssetRow, 'chaptersEditedAt' | 'chaptersTranscriptKey' | 'transcriptKey'> & {
	chapters: VideoChapter[]
}

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
