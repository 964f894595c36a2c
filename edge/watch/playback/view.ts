import type { ModeratedComment } from '#schema/contract/watch/comments.ts'
import type { PlaybackRecord } from '#schema/contract/watch/playback.ts'
import { type Emoji, REACTIONS } from '#schema/contract/watch/reactions.ts'
import { listSubtitleTracks } from '../../ai/subtitles/tracks.ts'
import { srtKey } from '../../ai/transcripts/keys.ts'
import { toIso } from '../../platform/clock.ts'
import { formatLinkHeader } from '../../platform/network/header-values.ts'
import { mediaUrl } from '../../video/assets/playable/media-url.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import { type LinkContext, thumbnailUrl } from '../../video/assets/view.ts'
import { viewBranding } from '../settings/view.ts'
import { formatAspectRatio } from './aspect-ratio.ts'
import type { CommentRow } from './comment-store.ts'

export const manifestUrl = (
	urls: LinkContext,
	{ manifestKey, playbackId }: Pick<PlayableRow, 'manifestKey' | 'playbackId'>,
): string => mediaUrl(urls, playbackId, manifestKey)

/** Returns a `Link` header with the storyboard, and the animated preview, which the record lacks. */
export const buildPreviewLinks = (
	urls: LinkContext,
	{ playbackId, previewKey, storyboardKey }: Pick<PlayableRow, 'playbackId' | 'previewKey' | 'storyboardKey'>,
): string | undefined =>
	[
		{ key: previewKey, type: 'image/webp' },
		{ key: storyboardKey, type: 'text/vtt' },
	]
		.flatMap(({ key, type }) =>
			key ? [formatLinkHeader(mediaUrl(urls, playbackId, key), { rel: 'preview', type })] : [],
		)
		.join(', ') || undefined

export const storyboardUrl = (
	urls: LinkContext,
	{ playbackId, storyboardKey }: Pick<PlayableRow, 'playbackId' | 'storyboardKey'>,
): string | null => (storyboardKey === null ? null : mediaUrl(urls, playbackId, storyboardKey))

/** Returns null for a custom thumbnail, because Workers can't decode it. */
export const choosePlaceholder = ({
	customThumbnailKey,
	placeholder,
}: Pick<PlayableRow, 'customThumbnailKey' | 'placeholder'>): string | null =>
	customThumbnailKey === null ? placeholder : null

const noAudio = { codec: 'none', bitrateKbps: 0, sampleRate: 0, channels: 0 }

/** `showTranscript` hides only the transcript; viewers who need subtitles keep them. */
function viewAi(row: PlayableRow, urls: LinkContext): PlaybackRecord['ai'] {
	const { transcriptKey, transcriptLanguage, chaptersKey, publicSettings, playbackId } = row
	const urlOf = (key: string) => mediaUrl(urls, playbackId, key)
	const subtitles = listSubtitleTracks(row).map(({ key, ...track }) => ({
		...track,
		url: urlOf(key),
		srtUrl: urlOf(srtKey(key)),
	}))
	const first = subtitles.find(({ language }) => language === transcriptLanguage) ?? subtitles[0]
	const chaptersUrl = publicSettings.showChapters && chaptersKey !== null ? urlOf(chaptersKey) : null
	const transcriptUrl = publicSettings.showTranscript && transcriptKey !== null ? urlOf(transcriptKey) : null
	// A transcript's subtitles reveal as much as the transcript itself.
	const hasShownText = transcriptUrl !== null || row.subtitlesKey !== null
	return {
		// The status must not reveal hidden content.
		status: hasShownText || chaptersUrl !== null ? 'completed' : 'none',
		subtitlesUrl: first?.url ?? null,
		srtSubtitlesUrl: first?.srtUrl ?? null,
		chaptersUrl,
		transcriptUrl,
		language: hasShownText ? transcriptLanguage : null,
		subtitles,
	}
}

export const viewPlayback = (row: PlayableRow, canEdit: boolean, urls: LinkContext): PlaybackRecord => ({
	playbackId: row.playbackId,
	manifestUrl: manifestUrl(urls, row),
	thumbnailUrl: thumbnailUrl(urls, row),
	title: row.title,
	description: row.description,
	durationSec: row.durationSec ?? 0,
	width: row.width,
	height: row.height,
	aspectRatio: row.width && row.height ? formatAspectRatio({ width: row.width, height: row.height }) : null,
	placeholder: choosePlaceholder(row),
	storyboardUrl: storyboardUrl(urls, row),
	canEdit,
	publicSettings: row.publicSettings,
	settings: viewBranding(row.org, urls.base),
	audio: row.audioTrack ?? noAudio,
	ai: viewAi(row, urls),
})

export const viewComment = (row: CommentRow): Omit<ModeratedComment, 'hidden'> => ({
	id: row.id,
	authorName: row.authorName,
	body: row.body,
	timestampSec: row.timestampSec,
	createdAt: toIso(row.createdAt),
})

export const viewModeratedComment = (row: CommentRow): ModeratedComment => ({
	...viewComment(row),
	hidden: row.hiddenAt !== null,
})

type ReactionRows = { counts: { emoji: string; count: number }[]; own: { emoji: string }[] }

/** Lists reactions in the order of the palette. */
export function viewReactions({ counts, own }: ReactionRows) {
	const countByEmoji = new Map(counts.map(({ emoji, count }) => [emoji, count]))
	const ownEmojis = new Set(own.map(({ emoji }) => emoji))
	return {
		counts: Object.fromEntries(
			REACTIONS.flatMap((emoji): [Emoji, number][] => {
				const count = countByEmoji.get(emoji)
				return count === undefined ? [] : [[emoji, count]]
			}),
		),
		userReactions: REACTIONS.filter((emoji) => ownEmojis.has(emoji)),
	}
}
