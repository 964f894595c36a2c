import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'

/** Returns the URL of a source to import. Throws if this installation may not fetch the URL. */
export function readSourceUrl(deps: Deps, sourceUrl: string): string {
	const problem = findOutboundUrlProblem(deps, sourceUrl)
	if (problem) throw new AppError('validation', `sourceUrl: ${problem}`)
	const url = new URL(sourceUrl)
	// A fragment is never sent to the server.
	url.hash = ''
	return url.href
}
