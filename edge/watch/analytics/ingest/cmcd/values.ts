import { decodeSfDict, SfItem, SfToken } from '@svta/cml-structured-field-values'

/** Several times what players send. Parsing is slow and takes more than linear time. */
const MAX_LENGTH = 2_048
const MAX_VALUES = 128

export const CMCD_FORM = `a dictionary of structured fields (RFC 9651) with at most ${MAX_LENGTH} characters and ${MAX_VALUES} values`

/** The values of a set of CMCD keys. Malformed values count as absent. */
export type CmcdValues = {
	text(key: string): string | undefined
	/** A non-negative number. */
	number(key: string): number | undefined
	/** The numbers of a list, such as one for each type of object. One number is a list too. */
	numbers(key: string): number[]
	texts(key: string): string[]
	isTrue(key: string): boolean
}

/** Parses a set of keys. Returns null for malformed text. */
export function parseCmcd(text: string): CmcdValues | null {
	if (text.length > MAX_LENGTH || text.split(/[=( ]/, MAX_VALUES + 2).length > MAX_VALUES + 1) return null
	const values = decode(text)
	if (!values) return null
	const list = (key: string) => itemsOf(values.get(key))
	return {
		text: (key) => list(key).map(textOf)[0],
		number: (key) => list(key).map(numberOf)[0],
		numbers: (key) => list(key).flatMap((value) => numberOf(value) ?? []),
		texts: (key) => list(key).flatMap((value) => textOf(value) ?? []),
		isTrue: (key) => list(key)[0] === true,
	}
}

function decode(text: string): Map<string, unknown> | null {
	try {
		// By default, the library creates a global symbol for each token, which is never freed.
		return new Map(Object.entries(decodeSfDict(text, { useSymbol: false })))
	} catch {
		return null
	}
}

const bareOf = (item: unknown): unknown => (item instanceof SfItem ? item.value : item)

function itemsOf(item: unknown): unknown[] {
	const value = bareOf(item)
	return Array.isArray(value) ? value.map(bareOf) : [value]
}

function textOf(value: unknown): string | undefined {
	if (value instanceof SfToken) return value.description
	return typeof value === 'string' ? value : undefined
}

const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' && value >= 0 ? value : undefined
