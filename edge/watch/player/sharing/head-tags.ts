import { html, raw } from 'hono/html'
import type { Chapter } from '#schema/contract/watch/player-page.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Size } from '../../../platform/images/image-size.ts'
import { buildEmbedUrl, buildWatchUrl } from '../../../video/assets/playable/player-pages.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { manifestUrl } from '../../playback/view.ts'
import { type Html, stringifyForScript } from '../document.ts'
import { buildOembedUrl, PROVIDER_NAME } from './player-links.ts'
import type { ShareImage } from './share-image.ts'
import { fitWithin } from './sizes.ts'

/** In code points. Link previews and search results show less. */
const MAX_SUMMARY_LENGTH = 300
/** In characters. Search engines also read the transcript on the page. */
const MAX_TRANSCRIPT_LENGTH = 10_000

type Described = Pick<
	PlayableRow,
	'playbackId' | 'title' | 'description' | 'visibility' | 'durationSec' | 'createdAt' | 'manifestKey'
>

export type HeadTagOptions = {
	row: Described
	/** The language of the page. */
	language: string
	isAudioOnly: boolean
	chapters: readonly Chapter[]
	/** Empty for none. */
	transcript: string
	size: Size
	/** The base URL of the pages with the player. */
	base: string
	/** The page parameters that links to the player keep. */
	linkParameters: Record<string, string>
	picture: ShareImage | null
}

/**
 * Describes a video to search engines and link previews. Only public videos may be indexed. For a signed video, omits
 * everything that needs its token.
 */
export function renderHeadTags(options: HeadTagOptions): Html {
	const { row, language, isAudioOnly, base, picture } = options
	const { playbackId, title, visibility } = row
	const url = buildWatchUrl(base, playbackId)
	const summary = row.description && truncateToSummary(row.description)
	return html`<link rel="canonical" href="${url}">
${visibility === 'public' ? '' : html`<meta name="robots" content="noindex">`}
${named({ description: summary })}
${properties({
	'og:type': isAudioOnly ? 'music.song' : 'video.other',
	'music:duration': isAudioOnly && row.durationSec ? Math.round(row.durationSec) : null,
	'og:site_name': PROVIDER_NAME,
	'og:locale': formatLocale(language),
	'og:title': title,
	'og:description': summary,
	'og:url': url,
	'og:image': picture?.url,
	'og:image:width': picture?.size?.width,
	'og:image:height': picture?.size?.height,
	'og:image:alt': picture && title,
})}
${named({
	'twitter:title': title,
	'twitter:description': summary,
	'twitter:image': picture?.url,
})}
${visibility === 'signed' ? named({ 'twitter:card': 'summary' }) : playerTags(options)}`
}

/** Returns the tags with which other programs embed the player. */
function playerTags(options: HeadTagOptions): Html {
	const { row, base, size, linkParameters } = options
	const player = buildEmbedUrl(base, row.playbackId)
	const { width, height } = fitWithin(size)
	const oembed = buildOembedUrl(base, buildWatchUrl(base, row.playbackId, linkParameters))
	return html`${properties({
		'og:video:url': player,
		'og:video:secure_url': player.startsWith('https:') ? player : null,
		'og:video:type': 'text/html',
		'og:video:width': width,
		'og:video:height': height,
	})}
${named({
	'twitter:card': 'player',
	'twitter:player': player,
	'twitter:player:width': width,
	'twitter:player:height': height,
})}
<link rel="alternate" type="application/json+oembed" href="${oembed}" title="${row.title}">
<script type="application/ld+json">${raw(stringifyForScript(structuredData(options)))}</script>`
}

/** Returns the description of schema.org, from which search engines make rich results. */
function structuredData({
	row,
	isAudioOnly,
	chapters,
	transcript,
	base,
	picture,
}: HeadTagOptions): Record<string, unknown> {
	return {
		'@context': 'https://schema.org',
		'@type': isAudioOnly ? 'AudioObject' : 'VideoObject',
		name: row.title,
		...(row.description && { description: row.description }),
		...(picture && { thumbnailUrl: picture.url }),
		uploadDate: toIso(row.createdAt),
		duration: formatIsoDuration(row.durationSec ?? 0),
		embedUrl: buildEmbedUrl(base, row.playbackId),
		...(transcript && { transcript: transcript.slice(0, MAX_TRANSCRIPT_LENGTH) }),
		...(chapters.length > 0 && {
			hasPart: chapters.map(({ title, startSec, endSec }) => ({
				'@type': 'Clip',
				name: title,
				startOffset: startSec,
				endOffset: endSec,
				url: buildWatchUrl(base, row.playbackId, { t: String(startSec) }),
			})),
		}),
		...(row.visibility === 'public' && { contentUrl: manifestUrl({ base, token: null }, row) }),
	}
}

type Values = Record<string, string | number | null | undefined>

/** Returns a `meta` tag for each value that is not null. */
const named = (values: Values): Html[] =>
	present(values).map(([name, content]) => html`<meta name="${name}" content="${content}">`)

const properties = (values: Values): Html[] =>
	present(values).map(([name, content]) => html`<meta property="${name}" content="${content}">`)

const present = (values: Values) =>
	Object.entries(values).flatMap(([name, value]) => (value ? [[name, String(value)] as const] : []))

/** Returns the form that Open Graph wants, with the country in which most people speak the language: de_DE. */
export function formatLocale(tag: string): string {
	const { language, region } = new Intl.Locale(tag).maximize()
	return `${language}_${region}`
}

/** Returns the beginning of a text on one line. */
export function truncateToSummary(text: string): string {
	const points = [...text.replaceAll(/\s+/g, ' ').trim()]
	return points.length <= MAX_SUMMARY_LENGTH
		? points.join('')
		: `${points
				.slice(0, MAX_SUMMARY_LENGTH - 1)
				.join('')
				.trimEnd()}…`
}

/** Returns a duration of ISO 8601 in whole seconds, such as PT1H2M3S. */
export function formatIsoDuration(sec: number): string {
	const whole = Math.round(sec)
	const [hours, minutes, seconds] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
	return `PT${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds || whole === 0 ? `${seconds}S` : ''}`
}
