import { z } from 'zod'
import { Id } from '../../community/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Color, Theme } from './branding.ts'

const operation = describeOperations('Community: members')

export const getPublicCommunity = operation({
	id: 'getPublicCommunity',
	method: 'get',
	path: '/api/headless/v1/community',
	summary: 'Get what a sign-in page of the community needs',
	description:
		'The host, `X-Community-Id` or `X-Community-Slug` names the community, as for members; without any of them, the default community is used. Nobody needs to be signed in.',
	auth: 'public',
	response: z
		.object({
			id: Id,
			name: z.string(),
			slug: z.string(),
			branding: z
				.object({ primary_color: Color, theme: Theme, logo_url: z.string().nullable() })
				.nullable()
				.meta({ description: 'The branding of the organization; null if the community has none' }),
			joining: z.array(z.enum(['invitation', 'invitation_link', 'organization'])).meta({
				description:
					'How people become members: by an invitation or link, or through the sign-in of the organization',
			}),
			sign_in: z
				.array(
					z.object({
						kind: z.enum(['password', 'code', 'passkey', 'oidc']),
						url: z.string(),
						label: z.string().optional().meta({ description: 'The name of the provider' }),
					}),
				)
				.meta({
					description:
						'The ways to sign in that are set up; each `url` is absolute. `password`, `code` and `passkey` are for people with an account. For `oidc`, open `url` in the browser: see `GET /api/headless/v1/sign_in/{providerId}`.',
				}),
		})
		.meta({ id: 'PublicCommunity' }),
	errors: ['validation', 'not_found', 'forbidden', 'org_suspended'],
})
