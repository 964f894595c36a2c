import type { RecognizedChunk } from './timed-segment.ts'

const names = new Intl.DisplayNames(['en'], { type: 'language' })

/** Parses an engine's language: a tag, an ISO 639 code, or an English name. */
export function toLanguageTag(name: string): string | null {
	const text = name.trim().toLowerCase()
	if (text === '' || text === 'und' || text === 'auto') return null
	const byName = /^[a-z]{4,}$/.test(text) ? tagsByName().get(text) : undefined
	if (byName !== undefined) return byName
	try {
		return Intl.getCanonicalLocales(text)[0] ?? null
	} catch {
		return null
	}
}

let known: ReadonlyMap<string, string> | undefined

/** All languages with a code of two letters, by their names in English. */
function tagsByName(): ReadonlyMap<string, string> {
	if (known) return known
	const letters = [...'abcdefghijklmnopqrstuvwxyz']
	const codes = letters.flatMap((first) => letters.map((second) => first + second))
	const found = codes.flatMap((code): [string, string][] => {
		const name = names.of(code)?.toLowerCase()
		const [tag = code] = Intl.getCanonicalLocales(code)
		return name === undefined || name === code ? [] : [[name, tag]]
	})
	known = new Map(found)
	return known
}

/** Returns the given language, or the one detected for most of the speech. */
export function chooseLanguage(given: string | null, chunks: readonly RecognizedChunk[]): string | null {
	if (given !== null) return toLanguageTag(given)
	const heardMs = new Map<string, number>()
	for (const { language, startMs, endMs } of chunks) {
		const tag = language === null ? null : toLanguageTag(language)
		if (tag !== null) heardMs.set(tag, (heardMs.get(tag) ?? 0) + endMs - startMs)
	}
	const [most] = [...heardMs].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
	return most?.[0] ?? null
}
