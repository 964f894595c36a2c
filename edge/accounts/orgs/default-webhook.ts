import type { Deps } from '../../platform/deps.ts'

/** Hooks for webhooks, injected through `Contributions`, because webhooks import this folder. */
export type DefaultWebhook = {
	/** Throws whatever `setUrl` would throw, before other changes of the request are saved. */
	check(deps: Deps, orgId: string, url: string): Promise<void>
	/** Creates, changes or (with null) deletes the default endpoint, and copies its URL to the organization. */
	setUrl(deps: Deps, orgId: string, url: string | null): Promise<void>
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		defaultWebhook: DefaultWebhook
	}
}
