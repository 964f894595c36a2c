import { AppError } from '../http/errors.ts'
import type { Env } from '../platform/env.ts'
import type { Fleet } from './fleet.ts'

/** The one fleet object; null where the platform has none (the API then still works, machines poll). */
export function findFleet(env: Env): DurableObjectStub<Fleet> | null {
	const namespace = env.bindings.FLEET as DurableObjectNamespace<Fleet> | undefined
	return namespace ? namespace.getByName('fleet') : null
}

export function requireFleet(env: Env): DurableObjectStub<Fleet> {
	const fleet = findFleet(env)
	if (!fleet) throw new AppError('not_configured', 'this installation has no fleet object: bind FLEET')
	return fleet
}
