import { DEVICE_GRANT } from '#schema/contract/accounts/device-flow.ts'
import { AppError } from '../../http/errors.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { issueKeyStatements } from '../orgs/api-keys/api-keys.ts'
import { answerPoll, lengthenInterval, type PollAnswer } from './poll-answer.ts'
import { type DeviceRequestRow, deviceRequestStore, isApproved } from './store.ts'

const messages: Record<Exclude<PollAnswer, 'approved'>, string> = {
	authorization_pending: 'nobody has approved the request yet; ask again after the interval',
	slow_down: 'asked too often; add 5 seconds to the interval',
	expired_token: 'the code has expired; start again',
	access_denied: 'the request was refused, or its approval no longer counts',
	invalid_grant: 'the device code is unknown or was used, or belongs to another client',
}
const pollError = (answer: keyof typeof messages) => new AppError(answer, messages[answer])

type Asked = { grant_type: string; device_code: string; client_id: string }
type Found = NonNullable<Awaited<ReturnType<ReturnType<typeof deviceRequestStore>['findByDeviceCode']>>>

/** Returns the key of an approved request, once. Throws the error of RFC 8628 otherwise. */
export async function pollToken(deps: Deps, { grant_type, device_code, client_id }: Asked) {
	if (grant_type !== DEVICE_GRANT)
		throw new AppError('unsupported_grant_type', `grant_type: send ${DEVICE_GRANT}`)
	const store = deviceRequestStore(deps.db)
	const found = await store.findByDeviceCode(await sha256(device_code), deps.now)
	if (!found || found.request.clientId !== client_id) throw pollError('invalid_grant')
	const { request } = found
	const answer = answerPoll(request, deps.now)
	if (answer === 'approved') return exchange(deps, found)
	if (answer === 'authorization_pending' || answer === 'slow_down') {
		const { intervalSeconds } = request
		const next = answer === 'slow_down' ? lengthenInterval(intervalSeconds) : intervalSeconds
		// Only one of two concurrent attempts is in time.
		if (!(await store.recordPoll(request, next, deps.now))) throw pollError('slow_down')
	}
	throw pollError(answer)
}

/** Creates the key and closes the request in one batch. Nobody has seen the key before. */
async function exchange(deps: Deps, { request, org }: Found) {
	const store = deviceRequestStore(deps.db)
	const { approvedByUserId: userId, grantedScopes: scopes } = request
	if (!org || org.suspendedAt !== null || userId === null || scopes === null) throw pollError('access_denied')
	const { row, key, statements } = await issueKeyStatements(
		deps,
		{ org, userId, name: request.deviceName, scopes, expiresAt: null },
		isApproved(request.id),
	)
	const { keyInserted } = await batch(deps.db, {
		...statements,
		requestClosed: store.closeStatement(request.id, row.id),
	})
	if (keyInserted.length === 0) throw await refusalOf(deps, request)
	return { key, scopes, orgId: org.id }
}

/** Another attempt was faster, or the approver may no longer create keys. */
async function refusalOf({ db, now }: Deps, { id, deviceCodeHash }: DeviceRequestRow): Promise<AppError> {
	const store = deviceRequestStore(db)
	const current = await store.findByDeviceCode(deviceCodeHash, now)
	if (current?.request.state === 'done') return pollError('invalid_grant')
	await store.withdraw(id)
	return pollError('access_denied')
}
