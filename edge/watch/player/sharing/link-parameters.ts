import {
	parseColor,
	parseFlag,
	parseLanguageTag,
	parsePreload,
	parseSeconds,
	parseSpeed,
	parseTitle,
} from '../parameters.ts'

const readers: Record<string, (text: string | null) => unknown> = {
	color: parseColor,
	title: parseTitle,
	t: parseSeconds,
	end: parseSeconds,
	autoplay: parseFlag,
	muted: parseFlag,
	loop: parseFlag,
	controls: parseFlag,
	cc: (text) => parseFlag(text) ?? parseLanguageTag(text),
	lang: parseLanguageTag,
	speed: parseSpeed,
	preload: parsePreload,
	keys: parseFlag,
}

const aliases: Record<string, string> = { color: 'accent-color', t: 'start-time' }

/**
 * Returns the valid parameters for links to the same video. Links are shared, so they never contain a token or the
 * preview flag.
 */
export const selectLinkParameters = (query: URLSearchParams): Record<string, string> =>
	Object.fromEntries(
		Object.entries(readers).flatMap(([name, read]) => {
			const text = query.get(name) ?? query.get(aliases[name] ?? name)
			return text === null || read(text) === null ? [] : [[name, text]]
		}),
	)
