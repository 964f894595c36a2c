import { colorOf, flagOf, languageTagOf, preloadOf, secondsOf, speedOf, titleOf } from '../parameters.ts'

const readers: Record<string, (text: string | null) => unknown> = {
	color: colorOf,
	title: titleOf,
	t: secondsOf,
	end: secondsOf,
	autoplay: flagOf,
	muted: flagOf,
	loop: flagOf,
	controls: flagOf,
	cc: (text) => flagOf(text) ?? languageTagOf(text),
	lang: languageTagOf,
	speed: speedOf,
	preload: preloadOf,
	keys: flagOf,
}

const aliases: Record<string, string> = { color: 'accent-color', t: 'start-time' }

/**
 * Returns the valid parameters of a query, for links to the same video. Such a link is for others, so it never contains
 * a token, and never says that it is a preview.
 */
export const linkParameters = (query: URLSearchParams): Record<string, string> =>
	Object.fromEntries(
		Object.entries(readers).flatMap(([name, read]) => {
			const text = query.get(name) ?? query.get(aliases[name] ?? name)
			return text === null || read(text) === null ? [] : [[name, text]]
		}),
	)
