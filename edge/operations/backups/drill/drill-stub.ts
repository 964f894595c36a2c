import type { Env } from '../../../platform/env.ts'
import type { BackupDrill } from './drill-object.ts'

export type DrillStub = DurableObjectStub<BackupDrill>

/** Returns the scratch database; null if the platform has no Durable Objects. */
export function findDrillStub({ bindings }: Env): DrillStub | null {
	const namespace = bindings.BACKUP_DRILL as DurableObjectNamespace<BackupDrill> | undefined
	return namespace ? namespace.getByName('drill') : null
}
