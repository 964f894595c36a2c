declare namespace Cloudflare {
	interface Env extends Record<import('../../../edge/platform/env.ts').ShieldName, RateLimit> {
		DB: D1Database
		VAULT: R2Bucket
		MEDIA: R2Bucket
		BACKGROUND: Queue
		BULK: Queue
		WEBHOOKS: Queue
		WEBHOOK_RETRIES: Queue
		TRANSCRIPTIONS: Queue
		FLEET: DurableObjectNamespace
		UPLOADS: DurableObjectNamespace
		LIVE_STREAMS: DurableObjectNamespace
		PLAYBACK_SESSIONS: DurableObjectNamespace
		ORG_ANALYTICS: DurableObjectNamespace
		METRICS: DurableObjectNamespace
		BACKUP_DRILL: DurableObjectNamespace
		MIGRATIONS: import('../../../scripts/lib/migrations.ts').Migration[]
		/** Set if the tests run on libSQL: the URL of the test server, which has a database for each path. */
		LIBSQL_BASE?: string
		/** The number of deletion requests in a simulation; few by default. */
		SIMULATED_REQUESTS: string
		/** The number of random worlds that are checked, and of random operations in each. */
		PROOF_SEEDS: string
		PROOF_OPERATIONS: string
		/** How many times as many inputs a property is tried with. */
		PROPERTY_RUNS_FACTOR: string
		/** How often each story of a customer runs, and the seed that orders its events. */
		PROOF_BILLING_RUNS: string
		PROOF_BILLING_SEED: string
	}
	interface GlobalProps {
		mainModule: typeof import('../../../edge/worker.ts')
	}
}

declare module '*?raw' {
	const text: string
	export default text
}
