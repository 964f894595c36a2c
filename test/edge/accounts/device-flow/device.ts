import {
	approveDeviceRequest,
	DEVICE_GRANT,
	pollDeviceToken,
	startDeviceRequest,
} from '#schema/contract/accounts/device-flow.ts'
import type { ApiScope } from '#schema/contract/accounts/roles.ts'
import type { Person, World } from '../../../support/edge/world.ts'

const CLIENT = 'playhouse-cli'

/** A program on a machine that wants an API key. */
export async function startDevice(
	world: Pick<World, 'ask'>,
	more: { scope?: string; device_name?: string } = {},
) {
	const body = { client_id: CLIENT, device_name: 'build-7', ...more }
	const { device_code, user_code } = (await world.ask(startDeviceRequest, { body }, { ip: '198.18.0.9' })).ok
	return {
		deviceCode: device_code,
		userCode: user_code,
		poll: (other: { client_id?: string; device_code?: string; grant_type?: string } = {}) =>
			world.ask(pollDeviceToken, {
				body: { grant_type: DEVICE_GRANT, device_code, client_id: CLIENT, ...other },
			}),
		approve: (who: Pick<Person, 'token' | 'orgId'>, scopes: ApiScope[] = ['read', 'write']) =>
			world.ask(
				approveDeviceRequest,
				{ params: { orgId: who.orgId }, body: { userCode: user_code, scopes } },
				{ token: who.token },
			),
	}
}

/** What a program reads from an answer that is no key. */
export const readErrorCode = ({ status, text }: { status: number; text: string }) => [
	status,
	JSON.parse(text).error as string,
]
