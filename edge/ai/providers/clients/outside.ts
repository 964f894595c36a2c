import type { Deps } from '../../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../../platform/network/outbound-url.ts'
import type { Outside } from './client.ts'

/** Returns the outside dependencies of providers; only public addresses are allowed, as for webhooks. */
export const openOutsideAccess = (deps: Deps, timeoutMs: number): Outside => ({
	fetch: deps.fetchPublic,
	clock: deps.clock,
	wait: deps.wait,
	urlProblem: (url) => findOutboundUrlProblem(deps, url),
	ai: deps.env.bindings.AI ?? null,
	timeoutMs,
})
