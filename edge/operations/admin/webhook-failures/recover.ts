import { recoverEndpoint } from '../../../accounts/webhooks/deliveries/log.ts'
import { endpointStore } from '../../../accounts/webhooks/endpoints/endpoint-store.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'

type Recovery = { since: number | undefined; after: number; enable: boolean }

/** Redelivers the events that an endpoint missed. A paused endpoint stays paused, as its owner chose. */
export async function recoverFailingEndpoint(
	deps: Deps,
	endpointId: string,
	{ since, after, enable }: Recovery,
) {
	const endpoint = await endpointStore(deps.db).findById(endpointId)
	if (!endpoint) throw notFoundError('webhook endpoint')
	const { status } = endpoint
	const from = since ?? endpoint.failingSince
	if (from === null) throw new AppError('conflict', 'this endpoint is not failing; send since')
	if (status === 'paused')
		throw new AppError('conflict', 'the owner paused this endpoint; ask them to resume it')
	if (status === 'disabled' && !enable)
		throw new AppError('conflict', 'this endpoint is disabled; send enable to enable it')
	const found = await recoverEndpoint(deps, endpoint, { since: from, after, only: 'failed' })
	return { ...found, since: from }
}
