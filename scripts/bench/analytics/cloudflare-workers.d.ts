/** What counting-object.ts uses. The types of the whole runtime would collide with those of Node. */
declare module 'cloudflare:workers' {
	import type { DurableObjectState } from '@cloudflare/workers-types'

	export class DurableObject<Env> {
		constructor(ctx: DurableObjectState, env: Env)
	}
}
