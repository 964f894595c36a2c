import type { IdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import { toIso } from '../../platform/clock.ts'
import type { Env } from '../../platform/env.ts'
import { formatRedirectUri } from './redirect-uri.ts'
import type { IdentityProviderRow } from './store.ts'

export const viewIdentityProvider = (
	row: IdentityProviderRow,
	env: Env,
	request: { url: string },
): IdentityProvider => ({
	id: row.id,
	label: row.label,
	issuer: row.issuer,
	clientId: row.clientId,
	joining: row.joining,
	redirectUri: formatRedirectUri(env, request, row.id),
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})
