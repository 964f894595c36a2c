import { login, sendCode } from '#schema/contract/accounts/identity.ts'
import { createSignInOptions } from '#schema/contract/accounts/sign-in/passkeys.ts'
import { getPublicCommunity } from '#schema/contract/watch/settings/public-community.ts'
import { findNamedCommunity } from '../../community/access/public-community.ts'
import { formatSignInUrl } from '../../community/identity-providers/redirect-uri.ts'
import { identityProviderStore } from '../../community/identity-providers/store.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase } from '../../platform/env.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { settingsStore } from './store.ts'
import { viewBranding } from './view.ts'

const signIn = [
	['password', login],
	['code', sendCode],
	['passkey', createSignInOptions],
] as const

/** Returns the configured sign-in methods for accounts. All need AUTH_SECRET; codes also need mail. */
function listAccountWays({ secrets, env, mailer }: Deps) {
	const hasMail = !env.isProduction || mailer.kind !== 'console'
	return secrets ? signIn.filter(([kind]) => kind !== 'code' || hasMail) : []
}

/** Without an organization, only members invite. */
const joining = ['invitation', 'invitation_link', 'organization'] as const

export const publicCommunityRoutes: Route[] = [
	serve(getPublicCommunity, async ({ deps, request }) => {
		const { orgSlug, ...community } = await findNamedCommunity(deps, request)
		const providers = deps.secrets ? await identityProviderStore(deps.db).list(community.id) : []
		const base = apiBase(deps.env, request)
		const org = orgSlug === null ? undefined : await settingsStore(deps.db).findPublic(orgSlug)
		const branding = org && viewBranding(org, base)
		return {
			...community,
			branding: branding
				? { primary_color: branding.primaryColor, theme: branding.theme, logo_url: branding.logoUrl }
				: null,
			joining: orgSlug === null ? joining.slice(0, 1) : [...joining],
			sign_in: [
				...listAccountWays(deps).map(([kind, { path }]) => ({
					kind,
					url: buildUrl(base, path.slice(1).split('/')),
				})),
				...(orgSlug === null ? [] : providers).map(({ id, label }) => ({
					kind: 'oidc' as const,
					label,
					url: formatSignInUrl(deps.env, request, id),
				})),
			],
		}
	}),
]
