import * as contract from '#schema/contract/accounts/billing.ts'
import { type Route, serve } from '../../http/route.ts'
import { openPortal, startCheckout } from './checkout.ts'
import { readBilling } from './read-billing.ts'
import { receiveEvent } from './receive.ts'
import { syncIfStale } from './sync.ts'

export const billingRoutes: Route[] = [
	serve(contract.getBilling, async ({ deps, caller }) => ({ data: await readBilling(deps, caller.org.id) })),

	serve(contract.syncBilling, async ({ deps, caller }) => {
		await syncIfStale(deps, caller.org.id)
		return { data: await readBilling(deps, caller.org.id) }
	}),

	serve(contract.createCheckout, async ({ deps, caller, body }) => ({
		data: { url: await startCheckout(deps, caller, body) },
	})),

	serve(contract.createPortal, async ({ deps, caller }) => ({
		data: { url: await openPortal(deps, caller) },
	})),

	serve(contract.receiveBillingEvent, async ({ deps, request }) => ({
		result: await receiveEvent(deps, request),
	})),
]
