import { connectMachine } from '#schema/contract/video/fleet.ts'
import { authenticate } from '../../http/authenticate.ts'
import { AppError } from '../../http/errors.ts'
import type { Route } from '../../http/route.ts'
import { requireFleet } from './fleet-stub.ts'
import { MACHINE_HEADER } from './machine-header.ts'

/** Returns the fleet object's end of a WebSocket. It can't use `serve`, which returns JSON. */
export const connectRoute: Route = {
	op: connectMachine,
	async answer(request, _params, deps, authenticators) {
		const caller = await authenticate(connectMachine, deps, authenticators, request, undefined)
		if (caller?.kind !== 'machine')
			throw new AppError('unauthorized', 'the machine token is invalid; register this machine again')
		if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
			throw new AppError('validation', 'send Upgrade: websocket', { headers: { upgrade: 'websocket' } })
		deps.log = deps.log.with({ machineId: caller.machineId })
		// The machine's own headers, above all its token, are not passed on.
		const headers = { upgrade: 'websocket', [MACHINE_HEADER]: caller.machineId }
		const response = await requireFleet(deps.env).fetch('https://fleet/connect', { headers })
		// A fetched response has immutable headers.
		return new Response(response.body, response)
	},
}
