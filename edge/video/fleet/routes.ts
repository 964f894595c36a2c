import { heartbeatMachine, leaveMachine, registerMachine } from '#schema/contract/video/fleet.ts'
import { readCredential } from '../../http/credential.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import * as machines from './machines.ts'
import { connectRoute } from './socket.ts'

export const fleetRoutes: Route[] = [
	serve(
		registerMachine,
		async ({ deps, body: { fingerprint, name, protocol: _, startHook = null, ...capabilities } }) => {
			const { id, token, expiresAt } = await machines.registerMachine(deps, {
				fingerprint,
				name,
				capabilities,
				startHook,
			})
			return {
				data: { id, token, expiresAt: toIso(expiresAt), heartbeatSeconds: machines.HEARTBEAT_SECONDS },
			}
		},
	),

	serve(heartbeatMachine, async ({ deps, caller, body, request }) => {
		const currentToken = readCredential(request.headers)?.value ?? ''
		const token = await machines.recordHeartbeat(deps, caller.machineId, body, currentToken)
		return { data: { ok: true as const, now: toIso(deps.now), ...(token && { token }) } }
	}),

	serve(leaveMachine, async ({ deps, caller }) => {
		await machines.leaveFleet(deps, caller.machineId)
		return { data: { id: caller.machineId, left: true as const } }
	}),

	connectRoute,
]
