import type { PlaybackRecord } from '#schema/contract/playback.ts'
import type { PlayableRow } from '../assets/store.ts'
import { thumbnailUrl } from '../assets/view.ts'

/** Keys of the media bucket are addresses below the API's own (see media.ts). */
export const manifestUrl = (base: string, { manifestKey }: Pick<PlayableRow, 'manifestKey'>): string =>
	`${base}/${manifestKey}`

/** How a player looks where nobody chose anything else. */
const standardLook = { primaryColor: '#4f46e5', theme: 'dark', logoUrl: null }
const standardAudio = { codec: 'aac', bitrateKbps: 128, sampleRate: 48_000, channels: 2 }
const noAi = {
	status: 'none',
	subtitlesUrl: null,
	srtSubtitlesUrl: null,
	chaptersUrl: null,
	transcriptUrl: null,
	language: null,
}

export const viewPlayback = (row: PlayableRow, canEdit: boolean, base: string): PlaybackRecord => ({
	playbackId: row.playbackId,
	manifestUrl: manifestUrl(base, row),
	thumbnailUrl: thumbnailUrl(base, row),
	title: row.title,
	description: row.description,
	durationSec: row.durationSec ?? 0,
	canEdit,
	publicSettings: row.publicSettings,
	settings: standardLook,
	audio: standardAudio,
	ai: noAi,
})
