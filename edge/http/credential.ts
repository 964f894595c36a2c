import { AppError } from './errors.ts'

export type Credential = { kind: 'bearer' | 'key'; value: string }

const isApiKey = (text: string): boolean => text.startsWith('phk_')

/** Returns the credential of a request. An API key may come as X-Api-Key or bearer; two different ones get a 400. */
export function readCredential(headers: Headers): Credential | null {
	const authorization = headers.get('authorization')
	const apiKey = headers.get('x-api-key')
	const bearer = authorization === null ? null : /^Bearer +([^\s]+)$/i.exec(authorization)?.[1]
	if (apiKey !== null && authorization !== null && apiKey !== bearer)
		throw new AppError(
			'bad_credentials_mix',
			'Authorization and X-Api-Key name different credentials; send one',
		)
	if (apiKey !== null) return { kind: 'key', value: apiKey }
	if (!bearer) return null
	return { kind: isApiKey(bearer) ? 'key' : 'bearer', value: bearer }
}
