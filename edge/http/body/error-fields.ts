const MAX_FIELDS = 20
const MAX_NAME_LENGTH = 60

/** Verbs write the name of the field first, as in `from: must be in the past`. */
const leadingNames = /^([\w.$-]+(?:, [\w.$-]+)*): /

/** Returns the fields that the message of an error starts with. */
export const parseErrorFields = (message: string): readonly string[] =>
	leadingNames.exec(message)?.[1]?.split(', ') ?? []

/** Returns the value of `X-Error-Fields`, or undefined without fields. The names are untrusted text. */
export function formatErrorFields(names: readonly string[]): string | undefined {
	const shown = [...new Set(names.map(toHeaderText))].filter((name) => name !== '').slice(0, MAX_FIELDS)
	return shown.length > 0 ? shown.join(', ') : undefined
}

const toHeaderText = (name: string): string =>
	name.slice(0, MAX_NAME_LENGTH).replaceAll(/[^\x21-\x2b\x2d-\x7e]/g, '?')
