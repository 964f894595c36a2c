import { z } from 'zod'
import { data, Line } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Settings')

const MAX_ORIGINS = 50

export const NewOrigins = z.object({
	origins: z.array(Line.max(300)).max(MAX_ORIGINS).meta({
		description:
			'Origins such as `https://community.example.org` or `http://localhost:5173`, without a path. Plain http is for localhost only. Other scripts are converted to Punycode, and repeated origins are dropped. Replaces the list.',
	}),
})

const Origins = z.array(z.string()).meta({ description: 'In the order in which they were added' })

export const AllowedOrigins = z
	.object({ origins: Origins })
	.meta({ id: 'AllowedOrigins', description: 'The web pages that may call the API for an organization' })

export const CommunityOrigins = z
	.object({
		origins: Origins,
		customDomainOrigin: z.string().nullable().meta({
			description: 'The origin of the verified custom domain, which is always allowed; null without one',
		}),
	})
	.meta({ id: 'CommunityOrigins', description: 'The web pages that may call the API for a community' })

export const getAllowedOrigins = operation({
	id: 'getAllowedOrigins',
	method: 'get',
	path: '/v1/settings/origins',
	summary: 'List the origins of web pages that may call the API',
	auth: 'read',
	impersonation: 'read',
	response: data(AllowedOrigins),
})

export const replaceAllowedOrigins = operation({
	id: 'replaceAllowedOrigins',
	method: 'put',
	path: '/v1/settings/origins',
	summary: 'Replace the origins of web pages that may call the API',
	description:
		'Pages of these origins may call every operation for people, organizations and communities, but none for superadmins and machines. They need a credential as everyone else: no cookies are sent. Changes work everywhere within one minute.',
	auth: 'admin',
	openToKeys: 'changes settings, which can be changed back',
	audit: 'settings.updated',
	body: NewOrigins,
	response: data(AllowedOrigins),
})
