import { SPEED_LIMITS, type StartOptions } from '#schema/contract/watch/player-page.ts'
import type { PlayerDefaults } from '#schema/contract/watch/settings/branding.ts'

/** In code points, so that no surrogate pair is cut in half. */
const MAX_TITLE_LENGTH = 200

export type PageParameters = {
	color: string | null
	title: string | null
	language: string | null
	token: string | undefined
	start: StartOptions
}

/** Reads the query of a page with the player. Ignores unknown parameters and invalid values. */
export function readParameters(query: URLSearchParams, defaults: PlayerDefaults): PageParameters {
	const startSec = parseSeconds(query.get('t') ?? query.get('start-time'))
	const endSec = parseSeconds(query.get('end'))
	return {
		color: parseColor(query.get('color') ?? query.get('accent-color')),
		title: parseTitle(query.get('title')),
		language: query.get('lang'),
		token: query.get('token') ?? undefined,
		start: {
			startSec,
			endSec: endSec !== null && endSec > (startSec ?? 0) ? endSec : null,
			autoplay: parseFlag(query.get('autoplay')) ?? defaults.autoplay,
			muted: parseFlag(query.get('muted')),
			mutedByDefault: defaults.muted,
			loop: parseFlag(query.get('loop')) ?? false,
			controls: parseFlag(query.get('controls')) ?? defaults.controls,
			captions: parseFlag(query.get('cc')) ?? parseLanguageTag(query.get('cc')) ?? defaults.captions,
			speed: parseSpeed(query.get('speed')),
			preload: parsePreload(query.get('preload')) ?? 'metadata',
			keys: parseFlag(query.get('keys')) ?? true,
			preview: parseFlag(query.get('preview')) ?? false,
		},
	}
}

/** Returns true for `?autoplay`, `?autoplay=1` and `?autoplay=true`, and null for other texts. */
export function parseFlag(text: string | null): boolean | null {
	if (text === '' || text === '1' || text === 'true') return true
	return text === '0' || text === 'false' ? false : null
}

export const parseLanguageTag = (text: string | null): string | null =>
	text !== null && /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(text) ? text : null

export function parseSpeed(text: string | null): number | null {
	const speed = Number(text)
	return speed >= SPEED_LIMITS.min && speed <= SPEED_LIMITS.max ? speed : null
}

export const parsePreload = (text: string | null): StartOptions['preload'] | null =>
	text === 'none' || text === 'metadata' || text === 'auto' ? text : null

/** Returns the color in lower case with a leading `#`. */
export const parseColor = (text: string | null): string | null => {
	const [, digits] = /^#?([0-9a-f]{6})$/i.exec(text ?? '') ?? []
	return digits === undefined ? null : `#${digits.toLowerCase()}`
}

export function parseTitle(text: string | null): string | null {
	const line = text
		?.toWellFormed()
		.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim()
	return line ? [...line].slice(0, MAX_TITLE_LENGTH).join('') : null
}

/** Reads `93`, `93.5`, `1m33s`, `1h2m3s` and `1:02:03`. */
export function parseSeconds(text: string | null): number | null {
	if (text === null) return null
	const [, hours, minutes, seconds] =
		/^(?:(\d{1,4})h)?(?:(\d{1,6})m)?(?:(\d{1,8}(?:\.\d{1,6})?)s?)?$/i.exec(text) ??
		/^(?:(\d{1,4}):)?(\d{1,3}):(\d{1,2}(?:\.\d{1,6})?)$/.exec(text) ??
		[]
	if (hours === undefined && minutes === undefined && seconds === undefined) return null
	return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
}
