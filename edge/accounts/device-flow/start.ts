import type { z } from 'zod'
import type { startDeviceRequest } from '#schema/contract/accounts/device-flow.ts'
import { ApiScope } from '#schema/contract/accounts/roles.ts'
import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { HOUR, MINUTE } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { toCallerNetwork } from '../../platform/network/network.ts'
import { randomBase64url, sha256 } from '../../platform/tokens/digest.ts'
import { attemptCounter, type Rule } from '../attempts/attempt-counter.ts'
import { INTERVAL_SECONDS } from './poll-answer.ts'
import { deviceRequestStore } from './store.ts'
import { formatUserCode, makeUserCode } from './user-code.ts'

export const REQUEST_LIFE_MS = 10 * MINUTE
const startByNetwork: Rule = { name: 'device start network', limit: 60, windowMs: HOUR }
/** Collisions occur about once in millions of starts. */
const MAX_TRIES = 3

type Wanted = z.output<(typeof startDeviceRequest)['body']>

/** Stores a device's request for an API key. Returns its two codes. */
export async function startRequest(
	deps: Deps,
	wanted: Wanted,
	{ ip, country }: { ip: string; country: string | null },
): Promise<{ deviceCode: string; userCode: string }> {
	const { db, now } = deps
	const secrets = requireSecrets(deps, 'connecting devices')
	const scopes = readScopes(wanted.scope)
	await attemptCounter(db, secrets, now).count([{ rule: startByNetwork, subject: toCallerNetwork(ip) }])
	const deviceCode = randomBase64url()
	const deviceCodeHash = await sha256(deviceCode)
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const userCode = makeUserCode()
		const isStored = await deviceRequestStore(db).insert({
			id: newId('dvr', now),
			deviceCodeHash,
			userCodeHash: await secrets.hmac('device-user-code', userCode),
			clientId: wanted.client_id,
			deviceName: wanted.device_name ?? wanted.client_id,
			scopes,
			ip,
			country,
			createdAt: now,
			expiresAt: now + REQUEST_LIFE_MS,
			intervalSeconds: INTERVAL_SECONDS,
		})
		if (isStored) return { deviceCode, userCode: formatUserCode(userCode) }
	}
	throw new AppError('unavailable', 'no unused code was found; try again')
}

function readScopes(text: string): ApiScope[] {
	const names = new Set(text.split(' ').filter((name) => name !== ''))
	const scopes = [...names].map((name) => ApiScope.safeParse(name).data)
	if (scopes.length === 0 || scopes.includes(undefined))
		throw new AppError('invalid_scope', `scope: send some of ${ApiScope.options.join(', ')}`)
	return scopes as ApiScope[]
}
