import { PLAYER_LANGUAGES, type PlayerLanguage } from '#schema/contract/watch/player-page.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'
import { es } from './messages/es.ts'
import { fr } from './messages/fr.ts'
import { watchDe } from './messages/watch/de.ts'
import { watchEn } from './messages/watch/en.ts'
import { watchEs } from './messages/watch/es.ts'
import { watchFr } from './messages/watch/fr.ts'

export const messagesIn = { en, de, fr, es }
export const watchMessagesIn = { en: watchEn, de: watchDe, fr: watchFr, es: watchEs }

/** Returns the language of the page: the requested one, else the one that the browser prefers, else English. */
export function chooseLanguage(requested: string | null, acceptLanguage: string | null): PlayerLanguage {
	const preferred = (acceptLanguage ?? '')
		.split(',')
		.map((entry) => {
			const [tag = '', ...parameters] = entry.trim().split(';')
			const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
			return { tag, quality: Number(quality ?? 1) }
		})
		.filter(({ quality }) => quality > 0)
		.toSorted((a, b) => b.quality - a.quality)
		.map(({ tag }) => tag)
	return [requested ?? '', ...preferred].map(languageOf).find((language) => language !== null) ?? 'en'
}

const languageOf = (tag: string): PlayerLanguage | null =>
	PLAYER_LANGUAGES.find((language) => language === tag.toLowerCase().split('-')[0]) ?? null
