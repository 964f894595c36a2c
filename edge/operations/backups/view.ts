import type { Backup } from '#schema/contract/operations/installation/backups.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import type { BackupRow } from './store.ts'

export const viewBackup = (row: BackupRow): Backup => ({
	id: row.id,
	reason: row.reason,
	state: row.state,
	startedAt: toIso(row.startedAt),
	finishedAt: toIsoOrNull(row.finishedAt),
	snapshotAt: toIsoOrNull(row.snapshotAt),
	sizeBytes: row.sizeBytes,
	tables: row.tables,
	rows: row.rows,
	error: row.error,
	drilledAt: toIsoOrNull(row.drilledAt),
	drillError: row.drillError,
	verifiedAt: toIsoOrNull(row.verifiedAt),
	restoreSeconds: row.restoreSeconds,
})
