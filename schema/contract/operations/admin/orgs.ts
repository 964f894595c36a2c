import { z } from 'zod'
import { OrgUsage } from '../../accounts/orgs.ts'
import { SuspensionReason } from '../../accounts/suspension.ts'
import { TierName } from '../../accounts/tiers.ts'
import { data, Instant, Line, OrgId, Timestamp, UserId } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { AssetStatus, AssetSummary } from '../../video/assets.ts'
import { SEARCH_LIMIT, SearchText } from './limits.ts'

const operation = describeOperations('Operators')

const TierOverride = z
	.object({ tier: TierName, reason: z.string(), until: Timestamp })
	.meta({ id: 'TierOverride' })

export const AdminOrg = z
	.object({
		id: OrgId,
		name: z.string(),
		slug: z.string(),
		tier: TierName.meta({ description: 'The tier whose limits apply' }),
		tierOverride: TierOverride.nullable(),
		state: z
			.enum(['active', 'suspended'])
			.meta({ description: '`suspended` if a reason other than `billing` applies' }),
		suspensionReasons: z.array(SuspensionReason),
		encodeMinutesThisMonth: z.number().nonnegative(),
		members: z.int().nonnegative(),
		createdAt: Timestamp,
	})
	.meta({ id: 'AdminOrg' })
export type AdminOrg = z.infer<typeof AdminOrg>

export const listAllOrgs = operation({
	id: 'listAllOrgs',
	sdk: 'admin.orgs.list',
	method: 'get',
	path: '/v1/admin/orgs',
	summary: 'List the organizations of the installation, newest first',
	description: `With \`q\`, finds the organization with this id, organizations whose name or slug starts with it, and those of members whose address starts with it. The case of the letters a to z is ignored. A search reads at most ${SEARCH_LIMIT} names, slugs and addresses each, so send more letters if an organization is missing.`,
	auth: 'superadmin',
	query: PageQuery.extend({
		q: SearchText.optional(),
		tier: TierName.optional().meta({ description: 'The tier whose limits apply' }),
		state: z.enum(['active', 'suspended']).optional(),
		suspensionReason: SuspensionReason.optional().meta({
			description: 'Only organizations with this reason; `billing` alone does not make them `suspended`',
		}),
	}),
	paged: true,
	response: dataPage(AdminOrg),
})

const OrgParams = z.object({ orgId: OrgId })

export const getAnyOrg = operation({
	id: 'getAnyOrg',
	sdk: 'admin.orgs.get',
	method: 'get',
	path: '/v1/admin/orgs/{orgId}',
	summary: 'Get an organization with its usage and owners',
	auth: 'superadmin',
	params: OrgParams,
	response: data(
		AdminOrg.extend({
			owners: z
				.array(z.object({ userId: UserId, email: z.string(), name: z.string() }))
				.meta({ description: 'The first 50' }),
			usage: OrgUsage,
		}).meta({ id: 'AdminOrgDetail' }),
	),
})

export const listAssetsOfOrg = operation({
	id: 'listAssetsOfOrg',
	sdk: 'admin.orgs.listAssets',
	method: 'get',
	path: '/v1/admin/orgs/{orgId}/assets',
	summary: 'List the assets of any organization, newest first',
	auth: 'superadmin',
	params: OrgParams,
	query: PageQuery.extend({ status: AssetStatus.optional() }),
	paged: true,
	response: dataPage(AssetSummary),
})

export const updateOrgTier = operation({
	id: 'updateOrgTier',
	method: 'patch',
	path: '/v1/admin/orgs/{orgId}/tier',
	summary: 'Give an organization another tier until a date',
	description:
		'The limits of the tier apply at once, and end by themselves at `until`. `tier: null` ends the override now. Nothing is deleted if the organization then exceeds its limits. The reason is visible to superadmins only.',
	auth: 'superadmin',
	audit: ['org.tier_overridden', 'org.tier_override_ended'],
	recentProof: true,
	params: OrgParams,
	body: z.union([
		z.object({
			tier: TierName,
			reason: Line.min(3).max(500),
			until: Instant,
		}),
		z.object({ tier: z.null() }),
	]),
	response: data(AdminOrg),
})
