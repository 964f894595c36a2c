import { z } from 'zod'
import { data, foreignId, Line, pathInt, Timestamp, WebUrl } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Id } from '../fields.ts'
import { CommunityParams, updateSchema } from './communities.ts'

const operation = describeOperations('Community: identity providers')

export const MAX_IDENTITY_PROVIDERS = 10

const Joining = z.enum(['anyone', 'members']).meta({
	description:
		'`anyone`: whoever signs in with the provider becomes a member. `members`: only members whose `ssoUserId` is `oidc:{id of the provider}:{sub}` already may sign in.',
})

const ClientSecret = foreignId(1_000)

export const IdentityProvider = z
	.object({
		id: Id,
		label: z.string(),
		issuer: z.string(),
		clientId: z.string(),
		joining: Joining,
		redirectUri: z.string().meta({ description: 'The redirect URI to register with the provider' }),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'IdentityProvider' })
export type IdentityProvider = z.infer<typeof IdentityProvider>

const ProviderParams = CommunityParams.extend({ providerId: pathInt })

export const listIdentityProviders = operation({
	id: 'listIdentityProviders',
	method: 'get',
	path: '/v1/communities/{communityId}/identity-providers',
	summary: 'List the OpenID providers with which people sign in to a community, oldest first',
	description: 'Client secrets are never returned.',
	auth: 'admin',
	params: CommunityParams,
	response: data(z.array(IdentityProvider)),
})

export const createIdentityProvider = operation({
	id: 'createIdentityProvider',
	method: 'post',
	path: '/v1/communities/{communityId}/identity-providers',
	summary: 'Add an OpenID provider with which people sign in to a community',
	description: `The installation reads \`/.well-known/openid-configuration\` of the issuer when somebody signs in. A person who signs in for the first time becomes a managed member with the \`ssoUserId\` \`oidc:{id}:{sub}\`. A community has at most ${MAX_IDENTITY_PROVIDERS} providers (409).`,
	auth: 'org-admin-person',
	audit: 'identity_provider.created',
	params: CommunityParams,
	body: z.object({
		label: Line.min(1).max(100).meta({ description: 'What the button of a sign-in page says' }),
		issuer: WebUrl.meta({ description: 'The issuer exactly as the provider writes it in its ID tokens' }),
		clientId: foreignId(255),
		clientSecret: ClientSecret,
		joining: Joining.default('anyone'),
	}),
	status: 201,
	response: data(IdentityProvider),
	errors: ['not_found', 'conflict', 'not_configured'],
})

export const updateIdentityProvider = operation({
	id: 'updateIdentityProvider',
	method: 'patch',
	path: '/v1/communities/{communityId}/identity-providers/{providerId}',
	summary: 'Change the label, the secret or the rule for joining of an OpenID provider',
	description:
		'Issuer and client id never change, because another provider could give the same `sub` to another person. Add a new provider instead.',
	auth: 'org-admin-person',
	audit: 'identity_provider.updated',
	params: ProviderParams,
	body: updateSchema({ label: Line.min(1).max(100), clientSecret: ClientSecret, joining: Joining }),
	response: data(IdentityProvider),
	errors: ['not_found', 'not_configured'],
})

export const deleteIdentityProvider = operation({
	id: 'deleteIdentityProvider',
	method: 'delete',
	path: '/v1/communities/{communityId}/identity-providers/{providerId}',
	summary: 'Delete an OpenID provider, with which nobody signs in any more',
	description: 'Members who signed in with it stay, and so do their tokens.',
	auth: 'org-admin-person',
	audit: 'identity_provider.deleted',
	params: ProviderParams,
	response: data(z.object({ id: Id, deleted: z.literal(true) })),
	errors: ['not_found'],
})
