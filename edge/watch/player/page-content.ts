import { PlaybackId } from '#schema/contract/kit/fields.ts'
import type { PlayableVideo, PlayerPage } from '#schema/contract/watch/player-page.ts'
import { AppError } from '../../http/errors.ts'
import { BRAND_COLOR } from '../../platform/brand.ts'
import type { Deps } from '../../platform/deps.ts'
import { playerBase } from '../../platform/env.ts'
import { choosePassedToken } from '../../video/assets/playable/playback-tokens.ts'
import { getPlayable } from '../../video/assets/playable/viewer.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import { thumbnailUrl } from '../../video/assets/view.ts'
import { choosePlaceholder, manifestUrl, storyboardUrl } from '../playback/view.ts'
import { viewBranding } from '../settings/view.ts'
import { readVideoChapters } from './chapters/video-chapters.ts'
import { readFirstFiles } from './first-files.ts'
import { chooseLanguage, messagesIn } from './language.ts'
import { type PageParameters, readParameters } from './parameters.ts'
import { type PlayerBuild, readPlayerBuild } from './player-build.ts'
import { renderPlayerStyles } from './player-styles.ts'
import { selectLinkParameters } from './sharing/link-parameters.ts'
import { viewShareLinks } from './sharing/share-links.ts'
import { choosePlayerSize, STANDARD_SIZE } from './sharing/sizes.ts'

export type PageContent = {
	page: PlayerPage
	/** Null if there is no video to show. */
	row: PlayableRow | null
	parameters: PageParameters
	build: PlayerBuild
	nonce: string
	styles: string
	size: { width: number; height: number }
	/** The base URL of external links to this page. */
	base: string
	/** The query parameters of the page that external links repeat. */
	linkParameters: Record<string, string>
}

const standardSettings = {
	primaryColor: BRAND_COLOR,
	theme: 'auto' as const,
	allowedEmbedDomains: [],
	playerDefaults: { autoplay: false, muted: false, captions: false, controls: true },
}

export type PageRequest = { kind: PlayerPage['kind']; playbackId: string; request: Request; reportId: string }

/** Collects the content of a page. A page for a video that the viewer may not see has no video and says why. */
export async function readPageContent(
	deps: Deps,
	{ kind, playbackId, request, reportId }: PageRequest,
): Promise<PageContent> {
	const query = new URL(request.url).searchParams
	const token = query.get('token') ?? undefined
	const [found, build] = await Promise.all([findVideo(deps, playbackId, token), readPlayerBuild(deps.env)])
	const row = typeof found === 'string' ? null : found
	const org = row?.org ?? standardSettings
	const parameters = readParameters(query, org.playerDefaults)
	const size = row ? choosePlayerSize(row) : STANDARD_SIZE
	const language = chooseLanguage(parameters.language, request.headers.get('accept-language'))
	// An empty parameter removes the title. The watch page has it as its heading.
	const standardTitle = kind === 'embed' && !query.has('title') ? row?.title : null
	const overlayTitle = parameters.title ?? standardTitle ?? null
	const base = playerBase(deps.env, request)
	const linkParameters = selectLinkParameters(query)
	const video = row && (await viewVideo(deps, row, overlayTitle, token))
	return {
		page: {
			kind,
			language,
			messages: messagesIn[language],
			reportId,
			start: parameters.start,
			failure: typeof found === 'string' ? found : null,
			video,
			share: row && viewShareLinks({ kind, row, base, size, linkParameters }),
			watch: null,
		},
		row,
		parameters,
		build,
		nonce: crypto.randomUUID().replaceAll('-', ''),
		styles:
			renderPlayerStyles({
				accent: parameters.color ?? org.primaryColor,
				theme: org.theme,
				aspect: size.width / size.height,
				placeholder: row && choosePlaceholder(row),
			}) + (video?.isAudioOnly ? build.styles.audio : ''),
		size,
		base,
		linkParameters,
	}
}

async function findVideo(
	deps: Deps,
	playbackId: string,
	token: string | undefined,
): Promise<PlayableRow | 'unavailable' | 'expired'> {
	if (!PlaybackId.safeParse(playbackId).success) return 'unavailable'
	try {
		return await getPlayable(deps, { playbackId, token })
	} catch (error) {
		if (!(error instanceof AppError)) throw error
		if (error.code === 'not_found') return 'unavailable'
		if (error.code === 'forbidden') return 'expired'
		throw error
	}
}

async function viewVideo(
	deps: Deps,
	row: PlayableRow,
	overlayTitle: string | null,
	token: string | undefined,
): Promise<PlayableVideo> {
	const [{ firstPlaylist, lowestPlaylist, peaks, files }, chapters, onward] = await Promise.all([
		readFirstFiles(deps, row),
		readVideoChapters(deps, row),
		choosePassedToken(deps, row, token),
	])
	// The page loads only from its own origin, regardless of the API's host.
	const urls = { base: '', token: onward }
	const manifestPath = manifestUrl(urls, row)
	const folder = manifestPath.slice(0, manifestPath.lastIndexOf('/') + 1)
	return {
		playbackId: row.playbackId,
		overlayTitle,
		title: row.title,
		durationSec: row.durationSec ?? 0,
		chapters,
		isAudioOnly: row.width === null,
		peaks,
		manifestPath,
		posterPath: row.width === null && row.customThumbnailKey === null ? null : thumbnailUrl(urls, row),
		logoPath: viewBranding(row.org, urls.base).logoUrl,
		storyboardPath: storyboardUrl(urls, row),
		isWhole: row.width === null || row.storyboardKey !== null,
		firstPlaylist: firstPlaylist === null ? null : folder + firstPlaylist,
		lowestPlaylist: lowestPlaylist === null ? null : folder + lowestPlaylist,
		files: Object.fromEntries(Object.entries(files).map(([name, file]) => [folder + name, file])),
	}
}
