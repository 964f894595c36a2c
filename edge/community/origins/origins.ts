import { replaceOrigins } from '../../accounts/allowed-origins/replace-origins.ts'
import { allowedOriginStore } from '../../accounts/allowed-origins/store.ts'
import type { OrgCaller } from '../../http/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import { readCached, storeCached } from '../../platform/network/edge-cache.ts'
import { requireCommunity } from '../communities/communities.ts'
import type { CommunityRow } from '../communities/store.ts'
import { listingStore } from './store.ts'

/** The maximum delay until a change takes effect everywhere. */
const CACHE_SECONDS = 60

const view = ({ customDomain, domainVerifiedAt }: CommunityRow, origins: string[]) => ({
	origins,
	customDomainOrigin: domainVerifiedAt === null ? null : `https://${customDomain}`,
})

export async function listCommunityOrigins(deps: Deps, caller: OrgCaller, id: number) {
	const community = await requireCommunity(deps, caller, id)
	const origins = await allowedOriginStore(deps.db).list({ orgId: caller.org.id, communityId: id })
	return view(community, origins)
}

export async function replaceCommunityOrigins(
	deps: Deps,
	caller: OrgCaller,
	id: number,
	origins: readonly string[],
) {
	const community = await requireCommunity(deps, caller, id)
	const owner = { orgId: caller.org.id, communityId: id }
	const entry = { action: 'community.updated', target: { kind: 'community', id } } as const
	return view(community, await replaceOrigins(deps, owner, origins, entry))
}

/** Finds the lists that contain an origin. Each location queries the database at most once a minute per origin. */
export const findListing: Deps['contributions']['findListing'] = async (deps, origin) => {
	const key = `listed-origin/${encodeURIComponent(origin)}`
	const cached = await readCached<Awaited<ReturnType<typeof findListing>>>(key)
	if (cached) return cached
	const listing = await listingStore(deps.db).find(origin)
	deps.defer(storeCached(key, listing, CACHE_SECONDS))
	return listing
}
