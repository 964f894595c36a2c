import { PLAYER_LANGUAGES, type PlayerLanguage } from '#schema/contract/watch/player-page.ts'
import { ar } from './messages/ar.ts'
import { de } from './messages/de.ts'
import { en } from './messages/en.ts'
import { es } from './messages/es.ts'
import { fa } from './messages/fa.ts'
import { fr } from './messages/fr.ts'
import { he } from './messages/he.ts'
import { hi } from './messages/hi.ts'
import { id } from './messages/id.ts'
import { it } from './messages/it.ts'
import { ja } from './messages/ja.ts'
import { ko } from './messages/ko.ts'
import { nl } from './messages/nl.ts'
import { pl } from './messages/pl.ts'
import { pt } from './messages/pt.ts'
import { ru } from './messages/ru.ts'
import { sv } from './messages/sv.ts'
import { tr } from './messages/tr.ts'
import { uk } from './messages/uk.ts'
import { watchAr } from './messages/watch/ar.ts'
import { watchDe } from './messages/watch/de.ts'
import { watchEn } from './messages/watch/en.ts'
import { watchEs } from './messages/watch/es.ts'
import { watchFa } from './messages/watch/fa.ts'
import { watchFr } from './messages/watch/fr.ts'
import { watchHe } from './messages/watch/he.ts'
import { watchHi } from './messages/watch/hi.ts'
import { watchId } from './messages/watch/id.ts'
import { watchIt } from './messages/watch/it.ts'
import { watchJa } from './messages/watch/ja.ts'
import { watchKo } from './messages/watch/ko.ts'
import { watchNl } from './messages/watch/nl.ts'
import { watchPl } from './messages/watch/pl.ts'
import { watchPt } from './messages/watch/pt.ts'
import { watchRu } from './messages/watch/ru.ts'
import { watchSv } from './messages/watch/sv.ts'
import { watchTr } from './messages/watch/tr.ts'
import { watchUk } from './messages/watch/uk.ts'
import { watchZh } from './messages/watch/zh.ts'
import { zh } from './messages/zh.ts'

export const messagesIn = { ar, de, en, es, fa, fr, he, hi, id, it, ja, ko, nl, pl, pt, ru, sv, tr, uk, zh }
export const watchMessagesIn = {
	ar: watchAr,
	de: watchDe,
	en: watchEn,
	es: watchEs,
	fa: watchFa,
	fr: watchFr,
	he: watchHe,
	hi: watchHi,
	id: watchId,
	it: watchIt,
	ja: watchJa,
	ko: watchKo,
	nl: watchNl,
	pl: watchPl,
	pt: watchPt,
	ru: watchRu,
	sv: watchSv,
	tr: watchTr,
	uk: watchUk,
	zh: watchZh,
}

const RIGHT_TO_LEFT: readonly PlayerLanguage[] = ['ar', 'fa', 'he']

export const chooseDirection = (language: PlayerLanguage): 'ltr' | 'rtl' =>
	RIGHT_TO_LEFT.includes(language) ? 'rtl' : 'ltr'

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
