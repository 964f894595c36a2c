import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'

/** A request to a provider failed. The message is for the owner of the community. */
export class IdentityProviderError extends Error {
	override name = 'IdentityProviderError'
}

const TIMEOUT_MS = 5_000
/** Discovery documents, key sets and token responses have a few kilobytes. */
const MAX_BYTES = 200_000

/** Sends a request to a provider and returns the JSON of its answer. Follows no redirect. */
export async function fetchJson(deps: Deps, url: string, init: RequestInit = {}): Promise<unknown> {
	const problem = findOutboundUrlProblem(deps, url)
	if (problem) throw new IdentityProviderError(`an address of the provider ${problem}`)
	try {
		const signal = AbortSignal.timeout(TIMEOUT_MS)
		const response = await deps.fetchPublic(url, { ...init, redirect: 'manual', signal })
		if (!response.ok) {
			await response.body?.cancel()
			throw new IdentityProviderError(`the provider returned ${response.status}`)
		}
		return JSON.parse(await readLimited(response))
	} catch (error) {
		if (error instanceof IdentityProviderError) throw error
		if (error instanceof SyntaxError) throw new IdentityProviderError('the provider returned no JSON')
		throw new IdentityProviderError('the provider did not answer')
	}
}

async function readLimited({ body }: Response): Promise<string> {
	const decoder = new TextDecoder()
	let text = ''
	let bytes = 0
	for await (const part of body ?? []) {
		bytes += part.byteLength
		// Leaving the loop cancels the body.
		if (bytes > MAX_BYTES)
			throw new IdentityProviderError(`the provider returned more than ${MAX_BYTES} bytes`)
		text += decoder.decode(part, { stream: true })
	}
	return text + decoder.decode()
}
