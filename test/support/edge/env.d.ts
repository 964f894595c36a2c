declare namespace Cloudflare {
	interface Env extends Record<import('../../../edge/platform/env.ts').ShieldName, RateLimit> {
		DB: D1Database
		VAULT: R2Bucket
		MEDIA: R2Bucket
		BACKGROUND: Queue
		BULK: Queue
		FLEET: DurableObjectNamespace
		UPLOADS: DurableObjectNamespace
		MEMBER_STREAMS: DurableObjectNamespace
		MIGRATIONS: import('../../../scripts/lib/migrations.ts').Migration[]
		/** Set when the suite runs on libSQL: where the stand-in server is, a database for each path. */
		LIBSQL_BASE?: string
		/** How many people a simulation has; few unless somebody takes the time. */
		SIMULATED_REQUESTS: string
		/** How many worlds made at random are looked at, and how many random operations are made in one. */
		PROOF_SEEDS: string
		PROOF_OPERATIONS: string
	}
	interface GlobalProps {
		mainModule: typeof import('../../../edge/worker.ts')
	}
}

declare module '*?raw' {
	const text: string
	export default text
}
