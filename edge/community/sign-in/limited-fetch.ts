import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'

/** A request to a provider failed. The message is for the owner of the community. */
export class IdentityProviderError extends Error {
	override name = 'IdentityProviderError'
	/** Whether a retry may succeed without a change by an owner. */
	readonly isTemporary: boolean

	constructor(message: string, { isTemporary = false } = {}) {
		super(message)
		this.isTemporary = isTemporary
	}
}

const TIMEOUT_MS = 5_000
/** Discovery documents, key sets and token responses have a few kilobytes. */
const MAX_BYTES = 200_000

type Endpoint = 'discovery document' | 'key set' | 'token endpoint' | 'userinfo endpoint'

const isTemporary = (status: number): boolean => status === 429 || status >= 500

/** Sends a request to a provider and returns the JSON of the response. Follows no redirects. Errors name the endpoint. */
export async function fetchJson(
	deps: Deps,
	endpoint: Endpoint,
	url: string,
	init: RequestInit = {},
): Promise<unknown> {
	const named = `the ${endpoint} of the provider`
	const problem = findOutboundUrlProblem(deps, url)
	if (problem) throw new IdentityProviderError(`the address of ${named} ${problem}`)
	try {
		const signal = AbortSignal.timeout(TIMEOUT_MS)
		const response = await deps.fetchPublic(url, { ...init, redirect: 'manual', signal })
		if (!response.ok) {
			await response.body?.cancel()
			const { status } = response
			throw new IdentityProviderError(`${named} returned ${status}`, { isTemporary: isTemporary(status) })
		}
		return JSON.parse(await readLimited(response, named))
	} catch (error) {
		if (error instanceof IdentityProviderError) throw error
		if (error instanceof SyntaxError) throw new IdentityProviderError(`${named} returned no JSON`)
		throw new IdentityProviderError(`${named} did not answer`, { isTemporary: true })
	}
}

async function readLimited({ body }: Response, named: string): Promise<string> {
	const decoder = new TextDecoder()
	let text = ''
	let bytes = 0
	for await (const part of body ?? []) {
		bytes += part.byteLength
		// Leaving the loop cancels the body.
		if (bytes > MAX_BYTES) throw new IdentityProviderError(`${named} returned more than ${MAX_BYTES} bytes`)
		text += decoder.decode(part, { stream: true })
	}
	return text + decoder.decode()
}
