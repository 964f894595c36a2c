import { z } from 'zod'
import type { Doors } from '../http/caller.ts'
import type { Deps } from '../platform/deps.ts'
import { machineToken } from '../platform/tokens.ts'
import { machineStore } from './store.ts'

/** With its end, in seconds since 1970, which decides about renewal. */
const timedToken = {
	...machineToken,
	claims: z.intersection(machineToken.claims, z.object({ exp: z.int() })),
}

export const readMachineToken = (deps: Deps, token: string) =>
	deps.tokens?.read(timedToken, token, deps.now) ?? Promise.resolve(null)

/** Lets a machine in whose token is the newest it was given. */
export const machineDoor: Doors['machine'] = async (deps, token) => {
	const claims = await readMachineToken(deps, token)
	if (!claims || !(await machineStore(deps.db).hasToken(claims.sub, claims.tv))) return null
	return { kind: 'machine', machineId: claims.sub, tokenVersion: claims.tv }
}
