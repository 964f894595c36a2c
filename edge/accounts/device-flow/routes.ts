import * as contract from '#schema/contract/accounts/device-flow.ts'
import { type Route, serve } from '../../http/route.ts'
import { SECOND } from '../../platform/clock.ts'
import { apiBase } from '../../platform/env.ts'
import { readCountry } from '../../platform/network/place.ts'
import { approveRequest, denyRequest, findRequest } from './decide.ts'
import { pollToken } from './poll.ts'
import { INTERVAL_SECONDS } from './poll-answer.ts'
import { REQUEST_LIFE_MS, startRequest } from './start.ts'
import { viewRequest } from './view.ts'

export const deviceFlowRoutes: Route[] = [
	serve(contract.startDeviceRequest, async ({ deps, body, request, ip }) => {
		const { deviceCode, userCode } = await startRequest(deps, body, { ip, country: readCountry(request) })
		const page = `${apiBase(deps.env, request)}/device`
		return {
			device_code: deviceCode,
			user_code: userCode,
			verification_uri: page,
			// The fragment after `#` is never logged.
			verification_uri_complete: `${page}#${userCode}`,
			expires_in: REQUEST_LIFE_MS / SECOND,
			interval: INTERVAL_SECONDS,
		}
	}),

	serve(contract.pollDeviceToken, async ({ deps, body }) => {
		const { key, scopes, orgId } = await pollToken(deps, body)
		return {
			access_token: key,
			token_type: 'Bearer' as const,
			scope: scopes.join(' '),
			org_id: orgId,
		}
	}),

	serve(contract.findDeviceRequest, async ({ deps, caller, body, ip }) => ({
		data: viewRequest(await findRequest(deps, caller, { ...body, ip }), ip),
	})),

	serve(contract.denyDeviceRequest, async ({ deps, caller, body, ip }) => {
		await denyRequest(deps, caller, { ...body, ip })
		return { data: { denied: true as const } }
	}),

	serve(contract.approveDeviceRequest, async ({ deps, caller, body, ip }) => {
		const { deviceName } = await approveRequest(deps, caller, { ...body, ip })
		return { data: { deviceName, scopes: body.scopes } }
	}),
]
