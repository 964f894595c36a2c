/** An error response; status 0 without a response. */
export class RequestError extends Error {
	override name = 'RequestError'
	readonly status: number

	constructor(status: number) {
		super(`the API answered ${status}`)
		this.status = status
	}
}

const TIMEOUT_MS = 30_000

export type Answer<T> = { data: T; nextCursor: string | null }

/** Calls the API on the origin of this page, without a credential. */
export async function callApi<T>(path: string, body?: object): Promise<Answer<T>> {
	const response = await fetch(path, {
		signal: AbortSignal.timeout(TIMEOUT_MS),
		...(body && {
			method: 'POST',
			body: JSON.stringify(body),
			headers: { 'content-type': 'application/json' },
		}),
	}).catch(() => null)
	if (!response?.ok) throw new RequestError(response?.status ?? 0)
	const { data } = (await response.json()) as { data: T }
	return { data, nextCursor: response.headers.get('x-next-cursor') }
}
