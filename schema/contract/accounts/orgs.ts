import { z } from 'zod'
import { data, Line, OrgId, Timestamp } from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'
import { dataPage, PageQuery } from '../kit/page.ts'
import { publicSlugSchema } from '../kit/slug.ts'
import { OrgRole } from './roles.ts'
import { SuspensionReason } from './suspension.ts'
import { TierLimits, TierName } from './tiers.ts'

const operation = describeOperations('Organizations')
export const OrgParams = z.object({ orgId: OrgId })
const OrgName = Line.min(1).max(100)
const Slug = publicSlugSchema(48)

/** edge/platform/network/outbound-url.ts checks the rest, because the rules depend on the installation. */
const WebhookUrl = z
	.url({ protocol: /^https?$/ })
	.max(2048)
	.meta({
		description:
			'The URL of the default webhook endpoint. An https URL on port 443 or 8443 of a public host outside this installation, without a user name. Operators may allow more',
	})

export const Org = z
	.object({
		id: OrgId,
		name: z.string(),
		slug: z.string(),
		tier: TierName,
		role: OrgRole.nullable().meta({ description: 'Role of the calling user; null for an API key' }),
		webhookUrl: z.string().nullable(),
		suspended: z.boolean().meta({ description: 'Whether a reason other than `billing` suspends it' }),
		suspensionReasons: z.array(SuspensionReason),
		supportAccess: z
			.boolean()
			.meta({ description: 'Whether superadmins may act as members of the organization' }),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Org' })
export type Org = z.infer<typeof Org>

export const listOrgs = operation({
	id: 'listOrgs',
	method: 'get',
	path: '/v1/orgs',
	summary: 'List the organizations of the signed-in user, oldest first',
	auth: 'session',
	query: PageQuery,
	paged: true,
	response: dataPage(Org),
})

export const createOrg = operation({
	id: 'createOrg',
	method: 'post',
	path: '/v1/orgs',
	summary: 'Create an organization with the caller as owner',
	description:
		'A user may create at most 3 organizations with the tier free, 10 with pro and 25 with business; the installation can change this with `ORGS_PER_PERSON`. Organizations that have a new owner still count; organizations that changed their tier do not. Returns 403 `plan_limit` beyond that.',
	auth: 'session',
	audit: 'org.created',
	body: z.object({ name: OrgName, slug: Slug.optional() }),
	status: 201,
	response: data(Org),
	errors: ['conflict', 'plan_limit'],
})

export const getOrg = operation({
	id: 'getOrg',
	method: 'get',
	path: '/v1/orgs/{orgId}',
	summary: 'Get an organization',
	auth: 'read',
	impersonation: 'read',
	whenSuspended: 'open',
	params: OrgParams,
	...returnsEtag,
	response: data(Org),
	errors: ['not_found'],
})

export const updateOrg = operation({
	id: 'updateOrg',
	method: 'patch',
	path: '/v1/orgs/{orgId}',
	summary: 'Update the name, slug or webhook URL of an organization',
	auth: 'admin',
	openToKeys: 'changes names and addresses, which can be changed back',
	audit: ['org.updated', 'webhook.created', 'webhook.updated', 'webhook.deleted'],
	params: OrgParams,
	...takesIfMatch,
	body: z
		.object({ name: OrgName, slug: Slug, webhookUrl: WebhookUrl.nullable() })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(Org),
	errors: ['not_found', 'conflict'],
})

const Minutes = z.array(
	z.object({
		quality: z.string().meta({ description: 'Such as `720p`; `other` if it is not known' }),
		minutes: z.number(),
	}),
)

const deliveryCheck = {
	reported: Minutes.meta({
		description:
			'What players reported of the same videos, by members and programs too, of sessions that are over. Anybody can report anything, so it counts for nothing',
	}),
	difference: z.number().nullable().meta({
		description:
			'How far the report is from what was served; -0.05 is 5 % less, null if nothing was served. Sessions that are still open, players that report nothing of what they load, and viewers of whom nothing is collected are only in what was served',
	}),
}

export const OrgUsage = z
	.object({
		tier: TierName,
		period: z.object({ from: Timestamp, to: Timestamp }),
		used: z.object({
			encodeMinutesPerMonth: z.number(),
			storageBytes: z.int(),
			deliveryMinutesPerMonth: z.number().nullable().meta({
				description:
					'Minutes of video that were served, to members and programs too; null if they are not known now',
			}),
			apiKeys: z.int(),
			members: z.int(),
		}),
		delivery: z
			.object({
				total: z.number(),
				public: Minutes.meta({
					description:
						'What was served of public and unlisted videos. Nobody is charged for reports of players',
				}),
				publicCheck: z.object(deliveryCheck),
				signed: z.object({
					served: Minutes.meta({ description: 'What was served of signed videos' }),
					...deliveryCheck,
				}),
			})
			.nullable()
			.meta({
				description:
					'The minutes delivered this month; null if the installation does not count them, or if they are not known now',
			}),
		limits: TierLimits,
	})
	.meta({ id: 'OrgUsage' })
export type OrgUsage = z.infer<typeof OrgUsage>

export const getOrgUsage = operation({
	id: 'getOrgUsage',
	method: 'get',
	path: '/v1/orgs/{orgId}/usage',
	summary: 'Get the usage and limits of an organization',
	auth: 'read',
	impersonation: 'read',
	whenSuspended: 'open',
	params: OrgParams,
	response: data(OrgUsage),
	errors: ['not_found'],
})
