/** The tag of an unknown language. Each track of a playlist needs one. */
export const UNKNOWN_LANGUAGE = 'und'
/** What a viewer chooses if the language is unknown. */
const UNKNOWN_NAME = 'Subtitles'

/** Returns each language's own name, as menus show it. All names are unique. */
export function nameLanguages(languages: readonly string[]): string[] {
	const names = languages.map(nameOf)
	return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${languages[at]})`))
}

function nameOf(language: string): string {
	if (language === UNKNOWN_LANGUAGE) return UNKNOWN_NAME
	try {
		const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
		const [first = '', ...rest] = name
		return first.toLocaleUpperCase(language) + rest.join('')
	} catch {
		// Valid tags such as x-private have no name.
		return language
	}
}
