import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import type { OrgPerson, Person } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { toCallerNetwork } from '../../platform/network/network.ts'
import { attemptCounter, type Rule } from '../attempts/attempt-counter.ts'
import { requireProofForKey, requireRoomForKey } from '../orgs/api-keys/api-keys.ts'
import { type DeviceRequestRow, deviceRequestStore } from './store.ts'
import { parseUserCode } from './user-code.ts'

const triesByUser: Rule = { name: 'device code user', limit: 5, windowMs: 10 * MINUTE }
/** Shared by all accounts of a network, so that several accounts get no more tries. */
const triesByNetwork: Rule = { name: 'device code network', limit: 30, windowMs: 10 * MINUTE }

const noRequestError = () => notFoundError('device request: the code is wrong, was used, or has expired')

type Entered = { userCode: string; ip: string }

/** Finds the device request for an entered code. Wrong codes are counted before the lookup. */
export async function findRequest(
	deps: Deps,
	{ userId }: Pick<Person, 'userId'>,
	{ userCode, ip }: Entered,
): Promise<DeviceRequestRow> {
	const secrets = requireSecrets(deps, 'connecting devices')
	const counter = attemptCounter(deps.db, secrets, deps.now)
	const counted = [
		{ rule: triesByUser, subject: String(userId) },
		{ rule: triesByNetwork, subject: toCallerNetwork(ip) },
	]
	await counter.count(counted)
	const code = parseUserCode(userCode)
	const hashes = code === null ? [] : await secrets.hmacs('device-user-code', code)
	const row = await deviceRequestStore(deps.db).findPending(hashes, deps.now)
	if (!row) throw noRequestError()
	for (const each of counted) await counter.takeBack(each)
	return row
}

export async function denyRequest(deps: Deps, person: Person, entered: Entered): Promise<void> {
	const { id } = await findRequest(deps, person, entered)
	if (!(await deviceRequestStore(deps.db).deny(id, deps.now))) throw noRequestError()
}

export async function approveRequest(
	deps: Deps,
	person: OrgPerson,
	{ scopes, ...entered }: Entered & { scopes: ApiScope[] },
): Promise<DeviceRequestRow> {
	requireProofForKey(person, deps.now)
	const request = await findRequest(deps, person, entered)
	if (!scopes.every((scope) => request.scopes.includes(scope)))
		throw new AppError('validation', `scopes: the device asks only for ${request.scopes.join(', ')}`)
	const { userId, sessionId, org } = person
	await requireRoomForKey(deps, org)
	const approval = { userId, sessionId, orgId: org.id, scopes }
	if (!(await deviceRequestStore(deps.db).approve(deps.work, request.id, approval))) throw noRequestError()
	return request
}
