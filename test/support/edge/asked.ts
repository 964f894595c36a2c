import type { CallOutput } from '#schema/contract/kit/client.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'

/** What the Worker answered to a request. */
export type Asked<O extends Operation> = {
	status: number
	headers: Headers
	text: string
	/** The parsed body of a success; reading it after an error response throws. */
	ok: CallOutput<O>
	error: string
	code: string | null
	/** SQL statements of this request. */
	statements: string[]
}

export async function readAsked<const O extends Operation>(
	op: O,
	response: Response,
	statements: string[],
	/** Describes the newest error in the log. */
	lastError: () => string,
): Promise<Asked<O>> {
	const text = await textOf(response)
	const parsed = text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
	return {
		status: response.status,
		headers: response.headers,
		text,
		get ok() {
			if (response.status >= 400)
				throw new Error(`${op.id} returned ${response.status}: ${text}${lastError()}`)
			return parsed
		},
		get error() {
			return parsed?.error ?? parsed?.detail
		},
		code: response.headers.get('x-error-code'),
		statements,
	}
}

/** Reads a body of any type; with `response.text()` the runtime would print a warning if the type is not text. */
const textOf = async (response: Response): Promise<string> =>
	new TextDecoder().decode(await response.arrayBuffer())
