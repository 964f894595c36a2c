import type { Env } from '../env.ts'
import type { Metrics } from './metrics-object.ts'

/** Returns false on platforms without Durable Objects, where nothing is counted. */
export const hasMetrics = ({ bindings }: Env): boolean => bindings.METRICS !== undefined

/** Returns the metrics object, or null without one. */
export function findMetrics({ bindings }: Env): DurableObjectStub<Metrics> | null {
	const namespace = bindings.METRICS as DurableObjectNamespace<Metrics> | undefined
	return namespace ? namespace.getByName('metrics') : null
}
