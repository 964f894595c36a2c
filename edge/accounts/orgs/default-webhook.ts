import type { Deps } from '../../platform/deps.ts'

/**
 * What webhooks contribute to organizations. They import this folder, so this folder can't import them: the
 * implementation is handed in (`Contributions`).
 */
export type DefaultWebhook = {
	/** Throws if `setUrl` would throw, so that nothing else of the request is saved either. */
	check(deps: Deps, orgId: string, url: string): Promise<void>
	/** Creates, changes or (with null) deletes the default endpoint, and copies its URL to the organization. */
	setUrl(deps: Deps, orgId: string, url: string | null): Promise<void>
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		defaultWebhook: DefaultWebhook
	}
}
