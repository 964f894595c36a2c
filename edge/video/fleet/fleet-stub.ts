import { AppError } from '../../http/errors.ts'
import type { Env } from '../../platform/env.ts'
import type { Fleet } from './fleet-object.ts'

/** Returns the fleet object, or null if the platform has no Durable Objects. Machines then poll. */
export function findFleet(env: Env): DurableObjectStub<Fleet> | null {
	const namespace = env.bindings.FLEET as DurableObjectNamespace<Fleet> | undefined
	return namespace ? namespace.getByName('fleet') : null
}

export function requireFleet(env: Env): DurableObjectStub<Fleet> {
	const fleet = findFleet(env)
	if (!fleet) throw new AppError('not_configured', 'the fleet is not set up: bind FLEET')
	return fleet
}
