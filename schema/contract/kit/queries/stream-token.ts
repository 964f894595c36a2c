import { z } from 'zod'

/** A query parameter of a live stream. `selection` names the parameter that a token replaces. */
export const streamToken = (selection: 'topics' | 'types') =>
	z
		.string()
		.max(4_000)
		.optional()
		.meta({ description: `A stream token, instead of a credential in a header. It has the ${selection}` })

/** Describes the operation that creates the tokens of a live stream. */
export const describeStreamToken = (path: string): string =>
	`For \`EventSource\`, which can send no headers: open \`${path}?token=…\` within 60 seconds. The stream has the rights of the credential that created the token, and ends with it.`
