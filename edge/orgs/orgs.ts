import type { ApiScope } from '#schema/contract/platform/roles.ts'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { OrgPerson, Person } from '../http/caller.ts'
import { AppError, notFoundError } from '../http/errors.ts'
import { omitUndefined } from '../http/omit-undefined.ts'
import { batch } from '../platform/database/batch.ts'
import { newId } from '../platform/database/ids.ts'
import { isUniqueViolation } from '../platform/database/unique-violation.ts'
import type { Deps } from '../platform/deps.ts'
import { sha256 } from '../platform/tokens/digest.ts'
import { makeApiKey } from './api-key.ts'
import { type ApiKeyRow, apiKeyStore } from './api-key-store.ts'
import { createOrgStatements, orgCreationLimit } from './create-org.ts'
import { limitOf, planLimitError } from './limits.ts'
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

export async function updateOrg(deps: Deps, orgId: string, change: OrgChange): Promise<OrgRow> {
	const { webhookUrl, ...others } = change
	const { defaultWebhook } = deps.contributions
	if (webhookUrl) await defaultWebhook.check(deps, orgId, webhookUrl)
	try {
		const alsoChanged = webhookUrl === undefined ? [] : ['webhookUrl']
		const org = await orgStore(deps.db).update(orgId, omitUndefined(others), deps.now, alsoChanged)
		if (!org) throw orgNotFoundError()
		if (webhookUrl === undefined) return org
		await defaultWebhook.setUrl(deps, orgId, webhookUrl)
		return await getOrg(deps, orgId)
	} catch (error) {
		if (isUniqueViolation(error)) throw slugTakenError()
		throw error
	}
}

type NewKey = { name: string; scopes: ApiScope[]; expiresAt: string | null }

export async function createApiKey(deps: Deps, caller: OrgPerson, input: NewKey) {
	const { now } = deps
	const expiresAt = input.expiresAt === null ? null : Date.parse(input.expiresAt)
	if (expiresAt !== null && expiresAt <= now)
		throw new AppError('validation', 'expiresAt: is in the past; choose a later time')
	const { key, prefix, lastFour } = makeApiKey()
	const row: ApiKeyRow = {
		id: newId('key', now),
		orgId: caller.org.id,
		name: input.name,
		keyHash: await sha256(key),
		prefix,
		lastFour,
		scopes: input.scopes,
		createdByUserId: caller.userId,
		createdAt: now,
		expiresAt,
		lastUsedAt: null,
	}
	const { tier } = caller.org
	const max = limitOf(tier, 'apiKeys')
	const store = apiKeyStore(deps.db)
	if (!(await store.insert(row, max, caller.sessionId))) {
		if (max !== null && (await store.count(caller.org.id)) >= max) throw planLimitError(tier, 'apiKeys')
		throw new AppError('forbidden', 'the session has ended, or you are no longer an admin or owner')
	}
	return { row, key }
}

export async function deleteApiKey({ db }: Deps, orgId: string, keyId: string): Promise<void> {
	if (!(await apiKeyStore(db).delete(orgId, keyId))) throw notFoundError('API key')
}
