import { call } from '../../../src/call.ts'
import type { Client } from '../../../src/client.ts'
import { CanceledError, type PlayhouseError } from '../../../src/errors.ts'
import {
	type DeviceRequestStarted,
	pollDeviceToken,
	startDeviceRequest,
} from '../../../src/generated/operations.ts'
import { choosePauseMs, pause } from '../../../src/retry.ts'
import { NOT_SIGNED_IN } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'

const CLIENT_ID = 'playhouse-cli'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628, section 3.5. */
const SLOWER_BY_SEC = 5

/** Asks for a key, shows the code, and polls until a person has decided (RFC 8628). */
export async function requestKey(
	client: Client,
	{ scope, deviceName }: { scope: string; deviceName: string },
	signal: AbortSignal,
	show: (request: DeviceRequestStarted) => void,
): Promise<string> {
	const started = await call(client, startDeviceRequest, {
		client_id: CLIENT_ID,
		scope,
		device_name: deviceName,
	})
	show(started)
	for (let intervalSec = started.interval; ; ) {
		if (!(await pause(intervalSec * 1000, signal))) throw new CanceledError('the sign-in was interrupted')
		const input = { grant_type: GRANT, device_code: started.device_code, client_id: CLIENT_ID }
		try {
			return (await call(client, pollDeviceToken, input, { signal })).access_token
		} catch (error) {
			const next = chooseNextStep(error)
			if (next === 'slower') intervalSec += SLOWER_BY_SEC
			else if (next !== 'again') throw next
		}
	}
}

/** Decides what follows an unsuccessful poll: another poll, a slower one, or the error. */
export function chooseNextStep(error: unknown): 'again' | 'slower' | unknown {
	const { code } = error as Partial<PlayhouseError>
	if (code === 'authorization_pending') return 'again'
	if (code === 'slow_down') return 'slower'
	if (code === 'access_denied')
		return new CommandFailure('the request was denied, or the person may not create keys', NOT_SIGNED_IN)
	if (code === 'expired_token')
		return new CommandFailure('nobody approved the code in time; run playhouse login again', NOT_SIGNED_IN)
	return choosePauseMs(error, 1, 1) === undefined ? error : 'again'
}
