import { AppError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import type { Deps } from '../../platform/deps.ts'
import { communityNotFoundError } from '../not-found.ts'
import { readSelectors, resolveCommunity } from './authenticate.ts'
import { accessStore } from './store.ts'

/** Returns the community that an anonymous request names, with the slug of its organization. */
export async function findNamedCommunity({ db, env, now }: Deps, request: Request) {
	const store = accessStore(db)
	const selectors = readSelectors(request, env, null)
	const context = await store.loadAccessContext(selectors, null, now)
	const id = resolveCommunity(selectors, context)
	if (id === null)
		throw new AppError(
			'validation',
			'the request names no community; send X-Community-Id or X-Community-Slug, or use its host',
		)
	requireNotFullySuspended(context)
	const community = await store.findCommunity(id)
	if (!community) throw communityNotFoundError()
	return { ...community, orgSlug: context.orgSlug }
}
