import { z } from 'zod'

/** Returns a language tag with the usual capitals, or null for other text. */
function canonicalTag(text: string): string | null {
	try {
		return Intl.getCanonicalLocales(text)[0] ?? null
	} catch {
		return null
	}
}

export const Language = z
	.string()
	.max(35)
	.refine((text) => canonicalTag(text) !== null, 'must be a language tag such as en or pt-BR')
	.overwrite((text) => canonicalTag(text) ?? text)
	.meta({ description: 'A language tag (BCP 47) such as `en` or `pt-BR`' })
