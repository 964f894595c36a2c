import { connectMachine } from '#schema/contract/fleet.ts'
import { authenticate } from '../http/auth.ts'
import { AppError } from '../http/errors.ts'
import type { Route } from '../http/route.ts'
import { requireFleet } from '../transcoding/fleet-door.ts'
import { MACHINE_HEADER } from '../transcoding/machine-header.ts'

/** Not `serve`d: what comes back is no JSON but the fleet object's end of a socket. */
export const connectRoute: Route = {
	op: connectMachine,
	async answer(request, _params, deps, doors) {
		const caller = await authenticate(connectMachine.auth, deps, doors, request, undefined)
		if (caller?.kind !== 'machine') throw new AppError('unauthorized', 'register this machine again')
		if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
			throw new AppError('validation', 'send Upgrade: websocket', { headers: { upgrade: 'websocket' } })
		deps.log = deps.log.with({ machineId: caller.machineId })
		// Of the machine's own headers the object needs none, least of all the token.
		const headers = { upgrade: 'websocket', [MACHINE_HEADER]: caller.machineId }
		const answer = await requireFleet(deps.env).fetch('https://fleet/connect', { headers })
		// What was fetched has headers that cannot be set.
		return new Response(answer.body, answer)
	},
}
