import * as contract from '#schema/contract/accounts/sign-in/second-factor.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { readOrigin } from '../origins/origin.ts'
import { beginTotp, confirmTotp, removeTotp, replaceRecoveryCodes, resetSecondFactor } from './enrolment.ts'
import { secondFactorStore } from './store.ts'
import { verifySecondFactor } from './two-steps.ts'

export const secondFactorRoutes: Route[] = [
	serve(contract.getSecondFactor, async ({ deps, caller }) => {
		const { since, ...factors } = await secondFactorStore(deps.db).findState(caller.userId)
		return { data: { since: toIsoOrNull(since), ...factors } }
	}),

	serve(contract.verifySecondFactor, async (input) => ({
		data: await verifySecondFactor(input.deps, input.body, readOrigin(input)),
	})),

	serve(contract.beginTotp, async ({ deps, caller }) => {
		const { expiresAt, ...secret } = await beginTotp(deps, caller)
		return { data: { ...secret, expiresAt: toIso(expiresAt) } }
	}),

	serve(contract.confirmTotp, async ({ deps, caller, body }) => ({
		data: { recoveryCodes: await confirmTotp(deps, caller, body.code) },
	})),

	serve(contract.removeTotp, async ({ deps, caller }) => {
		await removeTotp(deps, caller)
		return { data: { deleted: true as const } }
	}),

	serve(contract.replaceRecoveryCodes, async ({ deps, caller }) => ({
		data: { recoveryCodes: await replaceRecoveryCodes(deps, caller) },
	})),

	serve(contract.resetSecondFactor, async ({ deps, params }) => {
		await resetSecondFactor(deps, params.userId)
		return { data: { reset: true as const } }
	}),
]
