import { PlaybackId } from '#schema/contract/kit/fields.ts'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import { buildUrl } from '../../../platform/network/header-values.ts'

/** The name of the site in link previews and embeds. */
export const PROVIDER_NAME = 'Playhouse'

export const buildOembedUrl = (base: string, url: string): string =>
	buildUrl(base, ['oembed'], { format: 'json', url })

/**
 * Parses the URL of a page with the player below one of the base URLs; null for any other. Ignores the scheme,
 * because old links use http.
 */
export function readPlayerUrl(
	text: string,
	bases: readonly string[],
): { playbackId: string; query: URLSearchParams } | null {
	const url = URL.parse(text)
	if (!url) return null
	for (const base of bases) {
		const { host, pathname } = new URL(base)
		const folder = trimEnd(pathname, '/')
		if (url.host !== host || !url.pathname.startsWith(`${folder}/`)) continue
		const [, playbackId] = /^\/(?:watch|embed)\/([^/]+)\/?$/.exec(url.pathname.slice(folder.length)) ?? []
		if (PlaybackId.safeParse(playbackId).success)
			return { playbackId: playbackId ?? '', query: url.searchParams }
	}
	return null
}
