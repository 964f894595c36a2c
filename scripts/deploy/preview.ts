import { createHash } from 'node:crypto'
import type { Unstable_RawConfig } from 'wrangler'
import { type Installation, OperatorError } from './plan.ts'

/** Names of queues have at most 63 characters; the longest here is playhouse-background-dead. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/

/**
 * Returns the configuration of a separate installation, with `name` behind the name of every resource. It has no routes,
 * because those lead to the real installation, and counts rate limits for itself.
 */
export function derivePreviewConfig(raw: Unstable_RawConfig, name: string): Unstable_RawConfig {
	if (!NAME.test(name))
		throw new OperatorError(
			`--preview: ${name} must consist of 1 to 30 lower-case letters, digits and hyphens, without a hyphen at either end.`,
		)
	const named = <T extends string | undefined>(text: T) => (text === undefined ? text : `${text}-${name}`)
	const { route: _route, routes: _routes, ...rest } = raw
	return {
		...rest,
		name: named(raw.name),
		workers_dev: true,
		vars: {
			...raw.vars,
			VAULT_BUCKET: named(String(raw.vars?.VAULT_BUCKET)),
			MEDIA_BUCKET: named(String(raw.vars?.MEDIA_BUCKET)),
		},
		// Without its id, which is that of the real database, it is found by its name.
		d1_databases: raw.d1_databases?.map(({ database_id: _, ...database }) => ({
			...database,
			database_name: named(database.database_name),
		})),
		r2_buckets: raw.r2_buckets?.map((bucket) => ({ ...bucket, bucket_name: named(bucket.bucket_name) })),
		queues: {
			...raw.queues,
			producers: raw.queues?.producers?.map((producer) => ({ ...producer, queue: named(producer.queue) })),
			consumers: raw.queues?.consumers?.map((consumer) => ({
				...consumer,
				queue: named(consumer.queue),
				...(consumer.dead_letter_queue && { dead_letter_queue: named(consumer.dead_letter_queue) }),
			})),
		},
		ratelimits: raw.ratelimits?.map((limit) => ({
			...limit,
			namespace_id: namespaceOf(limit.namespace_id, name),
		})),
	} as Unstable_RawConfig
}

/** Installations of an account that share a namespace would count together. */
function namespaceOf(id: string, name: string): string {
	const number = createHash('sha256').update(name).digest().readUInt32BE() % 100_000
	return String(Number(id) + (number + 1) * 10_000)
}

export const listRemovalCommands = ({ worker, database, buckets, queues }: Installation): string[] => [
	`npx wrangler delete --name ${worker}`,
	`npx wrangler d1 delete ${database}`,
	...queues.map((queue) => `npx wrangler queues delete ${queue}`),
	...Object.values(buckets).map((bucket) => `npx wrangler r2 bucket delete ${bucket}  (when it is empty)`),
]
