import { z } from 'zod'
import type { Authenticators } from '../../http/caller.ts'
import type { Deps } from '../../platform/deps.ts'
import { machineToken } from '../../platform/tokens/tokens.ts'
import { machineStore } from './store.ts'

/** Includes the expiry in seconds since 1970, which decides about renewal. */
const expiringMachineToken = {
	...machineToken,
	claims: z.intersection(machineToken.claims, z.object({ exp: z.int() })),
}

export const readMachineToken = (deps: Deps, token: string) =>
	deps.tokens?.read(expiringMachineToken, token, deps.now) ?? Promise.resolve(null)

/** Accepts only the newest token of a machine. */
export const authenticateMachine: Authenticators['machine'] = async (deps, token) => {
	const claims = await readMachineToken(deps, token)
	if (!claims || !(await machineStore(deps.db).hasToken(claims.sub, claims.tv))) return null
	return { kind: 'machine', machineId: claims.sub, tokenVersion: claims.tv }
}
