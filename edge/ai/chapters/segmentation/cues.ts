import type { Sentence } from './sentences.ts'
import { stripPunctuation } from './stems.ts'

/** Phrases at the start of a sentence that announce another topic. */
const cues: Record<string, RegExp> = {
	en: /^(?:(?:so|okay|ok|now|and|but|all right|alright|right|well|then) )*(?:next|let's (?:move|turn|talk|look|go on)|let us (?:move|turn|talk)|moving on|turning to|finally|lastly|step (?:\w+)|chapter \w+|part \w+|first of all|the (?:next|second|third|fourth|last|final) (?:step|part|topic|thing|point|question)|that brings us|to sum up|in conclusion|another (?:topic|thing|question)|what about|speaking of|now)\b/,
	de: /^(?:(?:so|und|also|gut|okay) )*(?:als nächstes|nun|jetzt|kommen wir|kommen wir nun|zum schluss|schließlich|zum abschluss|schritt \S+|kapitel \S+|teil \S+|weiter geht|der nächste|die nächste|das nächste|zuletzt)(?![\p{L}])/u,
	es: /^(?:(?:bueno|y|pues|bien) )*(?:ahora|a continuación|pasemos|pasamos|por último|finalmente|el siguiente|la siguiente|paso \S+|capítulo \S+|parte \S+)(?![\p{L}])/u,
	fr: /^(?:(?:bon|et|alors|bien) )*(?:maintenant|ensuite|passons|enfin|pour finir|la prochaine|le prochain|étape \S+|chapitre \S+|partie \S+)(?![\p{L}])/u,
}

export function hasCue({ words }: Sentence, language: string | null): boolean {
	const pattern = cues[(language ?? 'en').split('-')[0] ?? '']
	const opening = words
		.slice(0, 8)
		.map(({ word }) => stripPunctuation(word))
		.join(' ')
	return pattern?.test(opening) ?? false
}
