import type { ApiScope } from '#schema/contract/roles.ts'
import type { VideoCodec } from '#schema/contract/tasks.ts'
import { tiers } from '#schema/contract/tiers.ts'
import type { OrgPerson, Person } from '../http/caller.ts'
import { AppError } from '../http/errors.ts'
import { iso, MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { sha256 } from '../platform/digest.ts'
import { newId } from '../platform/ids.ts'
import { outboundUrlProblem } from '../platform/outbound-url.ts'
import { relayEvents } from '../platform/outbox.ts'
import { isUniqueViolation } from '../platform/unique-violation.ts'
import { makeApiKey } from './api-key.ts'
import { type ApiKeyRow, apiKeyStore } from './api-key-store.ts'
import { foundingLimit, foundOrg } from './founding.ts'
import { limitOf, planLimit } from './limits.ts'
import { type OrgRow, orgStore } from './store.ts'

const gone = () => new AppError('not_found', 'no such organization')
const slugTaken = () => new AppError('conflict', 'this slug is taken; choose another one')

export async function createOrg(
	deps: Deps,
	person: Person,
	input: { name: string; slug?: string | undefined },
) {
	const { statements } = foundOrg(deps, input, person.userId)
	const org = await insertFounded(deps, statements)
	if (!org)
		throw new AppError(
			'plan_limit',
			`one person may make ${foundingLimit(deps.env)} organizations of the tier ${deps.env.vars.DEFAULT_TIER}; change the tier of one of yours`,
		)
	deps.defer(relayEvents(deps))
	return org
}

async function insertFounded(deps: Deps, statements: ReturnType<typeof foundOrg>['statements']) {
	try {
		const [[org]] = await deps.db.batch(statements)
		return org
	} catch (error) {
		if (isUniqueViolation(error)) throw slugTaken()
		throw error
	}
}

export async function getOrg(deps: Deps, orgId: string): Promise<OrgRow> {
	const org = await orgStore(deps.db).find(orgId)
	if (!org) throw gone()
	return org
}

type OrgChange = {
	name?: string | undefined
	slug?: string | undefined
	webhookUrl?: string | null | undefined
	videoCodecs?: VideoCodec[] | undefined
}

export async function updateOrg(deps: Deps, orgId: string, change: OrgChange): Promise<OrgRow> {
	const problem = change.webhookUrl && outboundUrlProblem(deps, change.webhookUrl)
	if (problem) throw new AppError('validation', `webhookUrl: ${problem}`)
	const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
	try {
		const org = await orgStore(deps.db).update(orgId, given, deps.now)
		if (!org) throw gone()
		return org
	} catch (error) {
		if (isUniqueViolation(error)) throw slugTaken()
		throw error
	}
}

export async function getUsage(deps: Deps, orgId: string) {
	const today = new Date(deps.now)
	const from = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
	const to = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)
	const row = await orgStore(deps.db).usage(orgId, iso(from).slice(0, 7))
	if (!row) throw gone()
	return {
		tier: row.tier,
		period: { from: iso(from), to: iso(to) },
		used: {
			encodeMinutesPerMonth: row.encodeMs / MINUTE,
			storageBytes: row.storageBytes,
			deliveryMinutesPerMonth: row.deliveryMs / MINUTE,
			apiKeys: row.apiKeys,
			members: row.members,
		},
		limits: tiers[row.tier],
	}
}

type NewKey = { name: string; scopes: ApiScope[]; expiresAt: string | null }

export async function createApiKey(deps: Deps, caller: OrgPerson, input: NewKey) {
	const { now } = deps
	const expiresAt = input.expiresAt === null ? null : Date.parse(input.expiresAt)
	if (expiresAt !== null && expiresAt <= now) throw new AppError('validation', 'expiresAt: lies in the past')
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
		if (max !== null && (await store.count(caller.org.id)) >= max) throw planLimit(tier, 'apiKeys')
		throw new AppError('forbidden', 'the session has ended, or you are neither admin nor owner any more')
	}
	deps.defer(relayEvents(deps))
	return { row, key }
}
