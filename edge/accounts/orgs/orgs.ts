import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { Person } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { omitUndefined } from '../../http/omit-undefined.ts'
import { batch } from '../../platform/database/batch.ts'
import { isUniqueViolation } from '../../platform/database/unique-violation.ts'
import type { Deps } from '../../platform/deps.ts'
import { createOrgStatements, orgCreationLimit } from './create-org.ts'
import { type OrgRow, orgStore } from './store.ts'

export const orgNotFoundError = () => notFoundError('organization')
const slugTakenError = () => new AppError('conflict', 'this slug is taken; choose another one')

export async function createOrg(
	deps: Deps,
	person: Person,
	input: { name: string; slug?: string | undefined },
) {
	const { statements } = createOrgStatements(deps, input, person.userId)
	const org = await insertOrReportConflict(deps, statements)
	if (!org)
		throw new AppError(
			'plan_limit',
			`you can create at most ${orgCreationLimit(deps.env)} organizations of the tier ${deps.env.vars.DEFAULT_TIER}; change the tier of one of them`,
		)
	return org
}

async function insertOrReportConflict(
	deps: Deps,
	statements: ReturnType<typeof createOrgStatements>['statements'],
) {
	try {
		const {
			orgInserted: [org],
		} = await batch(deps.db, statements)
		return org
	} catch (error) {
		if (isUniqueViolation(error)) throw slugTakenError()
		throw error
	}
}

export async function getOrg(deps: Deps, orgId: string): Promise<OrgRow> {
	const org = await orgStore(deps.db).find(orgId, deps.now)
	if (!org) throw orgNotFoundError()
	return org
}

type OrgChange = {
	name?: string | undefined
	slug?: string | undefined
	webhookUrl?: string | null | undefined
	videoCodecs?: VideoCodec[] | undefined
}

/** Changes nothing unless the organization has the values `before`. */
export async function updateOrg(
	deps: Deps,
	orgId: string,
	change: OrgChange,
	before?: Partial<OrgRow>,
): Promise<OrgRow> {
	const { webhookUrl, ...others } = change
	const { defaultWebhook } = deps.contributions
	if (webhookUrl) await defaultWebhook.check(deps, orgId, webhookUrl)
	try {
		const alsoChanged = webhookUrl === undefined ? [] : ['webhookUrl']
		const org = await orgStore(deps.db).update(deps.work, orgId, omitUndefined(others), alsoChanged, before)
		if (!org) throw orgNotFoundError()
		if (webhookUrl === undefined) return org
		await defaultWebhook.setUrl(deps, orgId, webhookUrl)
		return await getOrg(deps, orgId)
	} catch (error) {
		if (isUniqueViolation(error)) throw slugTakenError()
		throw error
	}
}
