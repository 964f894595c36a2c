import type { ModeratedComment } from '#schema/contract/comments.ts'
import type { PlaybackRecord } from '#schema/contract/playback.ts'
import { type Emoji, REACTIONS } from '#schema/contract/reactions.ts'
import type { PlayableRow } from '../assets/store.ts'
import { type Place, thumbnailUrl } from '../assets/view.ts'
import { iso } from '../platform/clock.ts'
import { addressAt, linkValue } from '../platform/header-values.ts'
import type { CommentRow } from './comment-store.ts'

/** Keys of the media bucket are addresses below the API's own (see media.ts). */
function mediaUrl({ base, token }: Place, playbackId: string, key: string): string {
	const segments = key
		.split('/')
		.flatMap((segment) => (token && segment === playbackId ? [segment, `~${token}`] : [segment]))
	return addressAt(base, segments)
}

export const manifestUrl = (
	place: Place,
	{ manifestKey, playbackId }: Pick<PlayableRow, 'manifestKey' | 'playbackId'>,
): string => mediaUrl(place, playbackId, manifestKey ?? '')

/** In a header: the record is the specification's to the field. */
export const previewLinks = (
	place: Place,
	{ playbackId, previewKey, storyboardKey }: Pick<PlayableRow, 'playbackId' | 'previewKey' | 'storyboardKey'>,
): string | undefined =>
	[
		{ key: previewKey, type: 'image/webp' },
		{ key: storyboardKey, type: 'text/vtt' },
	]
		.flatMap(({ key, type }) =>
			key ? [linkValue(mediaUrl(place, playbackId, key), { rel: 'preview', type })] : [],
		)
		.join(', ') || undefined

/** How a player looks where nobody chose anything else. */
const standardLook = { primaryColor: '#4f46e5', theme: 'dark', logoUrl: null }
const silence = { codec: 'none', bitrateKbps: 0, sampleRate: 0, channels: 0 }
const noAi = {
	status: 'none',
	subtitlesUrl: null,
	srtSubtitlesUrl: null,
	chaptersUrl: null,
	transcriptUrl: null,
	language: null,
}

export const viewPlayback = (row: PlayableRow, canEdit: boolean, place: Place): PlaybackRecord => ({
	playbackId: row.playbackId,
	manifestUrl: manifestUrl(place, row),
	thumbnailUrl: thumbnailUrl(place, row),
	title: row.title,
	description: row.description,
	durationSec: row.durationSec ?? 0,
	canEdit,
	publicSettings: row.publicSettings,
	settings: standardLook,
	audio: row.audioTrack ?? silence,
	ai: noAi,
})

export const viewComment = (row: CommentRow): Omit<ModeratedComment, 'hidden'> => ({
	id: row.id,
	authorName: row.authorName,
	body: row.body,
	timestampSec: row.timestampSec,
	createdAt: iso(row.createdAt),
})

export const viewModeratedComment = (row: CommentRow): ModeratedComment => ({
	...viewComment(row),
	hidden: row.hiddenAt !== null,
})

type ReactionRows = { counts: { emoji: string; count: number }[]; own: { emoji: string }[] }

/** In the order of the palette. */
export function viewReactions({ counts, own }: ReactionRows) {
	const countOf = new Map(counts.map(({ emoji, count }) => [emoji, count]))
	const isOwn = new Set(own.map(({ emoji }) => emoji))
	return {
		counts: Object.fromEntries(
			REACTIONS.flatMap((emoji): [Emoji, number][] => {
				const count = countOf.get(emoji)
				return count === undefined ? [] : [[emoji, count]]
			}),
		),
		userReactions: REACTIONS.filter((emoji) => isOwn.has(emoji)),
	}
}
